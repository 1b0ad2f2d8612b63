package finding

import "strings"

// Scope narrows what is looked at to the events of an agent, an environment and a team; an empty field lets all pass.
type Scope struct {
	Agent       string `json:"agent,omitzero"`
	Environment string `json:"environment,omitzero"`
	Team        string `json:"team,omitzero"`
}

// String says the scope in words, nothing for all.
func (s Scope) String() string {
	var all []string
	for _, p := range [][2]string{{"agent ", s.Agent}, {"environment ", s.Environment}, {"team ", s.Team}} {
		if p[1] != "" {
			all = append(all, p[0]+p[1])
		}
	}
	return strings.Join(all, ", ")
}
