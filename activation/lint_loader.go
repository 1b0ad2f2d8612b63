package activation

import "fmt"

// loader finds a loader of the header that the list has by another name alone. A list without one like it may be one of several of an agent.
func (l *linter) loader() {
	name, r := l.options.Text.Loader, l.roster
	if _, ok := r.exact(name); name == "" || ok {
		return
	}
	for _, like := range [...]func(string) (Resolution, bool){r.sameLetters, r.near} {
		if res, ok := like(name); ok && res.Name != "" {
			l.add(LintError, LintNoLoader, fmt.Sprintf("the header tells the model to load with %s, and the list has %s: set text.loader to the tool's exact name",
				quoteName(name), quoteName(res.Name)), res.Name)
			return
		}
	}
}
