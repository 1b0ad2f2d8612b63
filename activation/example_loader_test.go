package activation_test

import (
	"errors"
	"fmt"

	"github.com/tooltrail/tooltrail/activation"
)

func ExampleLoader() {
	s := activation.NewState(activation.NewRoster(activation.RosterInput{Tools: []activation.Tool{
		{Name: "web_search"},
		{Name: "issue_read", Server: "github", Deferred: true},
		{Name: "issue_write", Server: "github", Deferred: true},
		{Name: "repo_delete", Server: "github", Deferred: true},
	}}))
	l, err := activation.NewLoader(s, activation.Checks{Policy: func(t activation.Tool) bool { return t.Name != "repo_delete" }})
	if errors.Is(err, activation.ErrNothingDeferred) {
		return // everything is unfolded: offer the model no activation tool
	}
	answer := l.Load("GitHub", "issue_read", "repo_delete", "issue_wirte")
	fmt.Println(answer.Text())
	fmt.Println(s.Loaded("issue_read"))
	s.Step() // the model writes its next message
	fmt.Println(s.Loaded("issue_read"))

	saved := l.Saved() // kept with the conversation
	restored := l.Restore(append(saved, "gone"))
	fmt.Println(restored.Text())
	// Output:
	// Loaded: issue_read. It can be called from your next message on.
	// "GitHub" is a connector, not a tool. Load its tools by their names: issue_read, issue_write.
	// "repo_delete" was not loaded: the policy for tools does not allow it.
	// "issue_wirte" was not loaded: there is no such tool. Load only tools that are listed, by their exact names.
	// false
	// true
	// "issue_read" is loaded already. Call it; don't load it again.
	// "gone" was not loaded: there is no such tool. Load only tools that are listed, by their exact names.
}

func ExampleRefusal() {
	s := activation.NewState(activation.NewRoster(activation.RosterInput{
		Tools: []activation.Tool{
			{Name: "issue_read", Server: "github", Deferred: true}, {Name: "issue_close", Server: "github", Denied: true},
			{Name: "ticket_find", Server: "jira"}, {Name: "web_search"},
		},
		NotConnected: []string{"jira"},
	}))
	for _, called := range []string{"web_search", "issue_read", "issue_close", "ticket_find", "WebSearch"} {
		if refusal := s.Refuse(called, nil); refusal != nil {
			fmt.Println(refusal.Reason, "-", refusal)
		}
	}
	// Output:
	// not_activated - The tool "issue_read" is not loaded. Load it first; it can be called from your next message on.
	// not_permitted - The tool "issue_close" exists and you are not permitted to use it.
	// not_connected - The tool "ticket_find" can not be called now: its connector "jira" is not connected.
	// unknown - There is no tool "WebSearch". Call only tools that you were given, by their exact names.
}
