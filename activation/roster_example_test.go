package activation_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
)

// trackerRoster is the roster of docs/rosters.md.
func trackerRoster() *activation.Roster {
	return activation.NewRoster(activation.RosterInput{
		Tools: []activation.Tool{
			{Name: "update_issue", Server: "tracker", Deferred: true, Definition: jsontext.Value(
				`{"name":"update_issue","description":"Change an open issue.","input_schema":{"type":"object","required":["issue_id","fields"]}}`)},
			{Name: "find_issues", Server: "tracker", Deferred: true, Definition: jsontext.Value(
				`{"name":"find_issues","description":"Find issues by words; has their ids.","input_schema":{"type":"object","required":["query"]}}`)},
			{Name: "load_tools", Definition: jsontext.Value(
				`{"name":"load_tools","description":"Load tools by exact name.","input_schema":{"type":"object","required":["names"]}}`)},
		},
		Descriptions: map[string]string{"tracker": "Issues of all projects."},
	})
}

func ExampleRoster_Text() {
	fmt.Print(trackerRoster().Text(activation.TextOptions{Loader: "load_tools"}))
	// Output:
	// # Tools
	//
	// Tools that can be loaded: name(required arguments): summary. A tool can be called once its definition has been loaded.
	// - Load with load_tools by exact name, as written here. A name that is neither here nor callable already does not exist: never guess one.
	// - Load together, in one go, the tool that does the work and the tools that supply its arguments, such as the search that finds the id it needs.
	// - Call what is already callable; don't load it again.
	// - What was loaded can be called from your next message on, and stays callable.
	// - "[…]" marks a summary that was cut; the definition has all of it.
	//
	// ## The agent's own tools
	// - load_tools(names): Load tools by exact name.
	//
	// ## Server tracker
	// > Issues of all projects.
	// - find_issues(query): Find issues by words; has their ids.
	// - update_issue(fields, issue_id): Change an open issue.
}

func ExampleToolArray() {
	array, err := activation.NewToolArray(trackerRoster(), activation.ArrayOptions{
		Defer: []activation.DeferProof{{Model: "proved-model", Hidden: "req_17", Unfolded: "req_18"}},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(array.Next("plain-model")), "definition at first")
	fmt.Println(len(array.Next("plain-model", "find_issues", "update_issue")), "after loading two")
	fmt.Println(len(array.Next("plain-model")), "in the next turn")
	fmt.Println(len(array.Next("proved-model")), "for a model that takes deferred definitions")
	// Output:
	// 1 definition at first
	// 3 after loading two
	// 3 in the next turn
	// 3 for a model that takes deferred definitions
}

func ExampleRoster_Mention() {
	m, _ := trackerRoster().Mention("@Tracker", 1)
	fmt.Println(m.Loaded, m.Rest)
	fmt.Println(m)
	// Output:
	// [find_issues] [update_issue]
	// Loaded 1 of the 2 tools of tracker, the first by name; the other one is in the list of tools: load it by name.
}

func TestThePageOfRostersShowsTheExample(t *testing.T) {
	page, err := os.ReadFile("../docs/rosters.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("roster_example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if text := trackerRoster().Text(activation.TextOptions{Loader: "load_tools"}); !strings.Contains(string(page), "```text\n"+text+"```") {
		t.Error("the page does not show the text of the example")
	}
	_, code, _ := strings.Cut(string(page), "```go\n")
	code, _, _ = strings.Cut(code, "```")
	if code == "" || !strings.Contains(string(source), code) {
		t.Error("the page's code is not that of the example")
	}
}
