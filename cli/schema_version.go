package cli

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// kindStated is a change of the version that a tool states by the const of its argument schema_version.
const kindStated = "schema_version_changed"

// statedVersion is the version that a schema states by the const of its argument schema_version; empty where it states none.
func statedVersion(schema jsontext.Value) string {
	var s struct {
		Properties struct {
			SchemaVersion struct {
				Const jsontext.Value `json:"const"`
			} `json:"schema_version"`
		} `json:"properties"`
	}
	var version string
	if json.Unmarshal(schema, &s) != nil || json.Unmarshal(s.Properties.SchemaVersion.Const, &version) != nil {
		return ""
	}
	return version
}

// sameVersion returns two definitions of a tool as they would be if both stated the new version, and the change of what they state; nil
// where they state the same, or one states none. A call says by that argument which version it is of: that it says another one in a
// new version breaks no call.
func sameVersion(was, is jsontext.Value) (jsontext.Value, jsontext.Value, *drift.Change) {
	a, errA := events.ParseTool(was)
	b, errB := events.ParseTool(is)
	if errA != nil || errB != nil {
		return was, is, nil
	}
	before, after := statedVersion(a.Schema), statedVersion(b.Schema)
	if before == "" || after == "" || before == after {
		return was, is, nil
	}
	then, errA := drift.WithVersion(was, after)
	now, errB := drift.WithVersion(is, after)
	if errA != nil || errB != nil {
		return was, is, nil
	}
	c := drift.Change{Path: "/properties/schema_version/const", Kind: kindStated, Aspect: drift.AspectAnnotation, Class: drift.NonBreaking}
	c.Old, _ = jsontext.AppendQuote(nil, before)
	c.New, _ = jsontext.AppendQuote(nil, after)
	return then, now, &c
}

// compareTools compares two definitions; that they state another version each is told, and breaks nothing.
func compareTools(was, is jsontext.Value, o drift.CompareOptions) (*drift.Comparison, error) {
	was, is, stated := sameVersion(was, is)
	c, err := drift.CompareTools(was, is, o)
	if err != nil {
		return nil, fmt.Errorf("compare schemas: %w", err)
	}
	if stated != nil {
		c.Changes = append(c.Changes, *stated)
	}
	return c, nil
}

// compareLists does the same for lists of tools.
func compareLists(was, is []jsontext.Value, o drift.ListOptions) (*drift.ListComparison, error) {
	was, is, stated := sameVersions(was, is)
	c, err := drift.CompareLists(was, is, o)
	if err != nil {
		return nil, fmt.Errorf("compare schemas: %w", err)
	}
	for i := range c.Changed {
		if change := stated[c.Changed[i].Tool]; change != nil {
			c.Changed[i].Changes = append(c.Changed[i].Changes, *change)
			delete(stated, c.Changed[i].Tool)
		}
	}
	for _, raw := range is {
		name := nameOf(raw)
		if change := stated[name]; change != nil {
			c.Changed = append(c.Changed, drift.Comparison{Tool: name, Class: drift.NonBreaking, Changes: []drift.Change{*change}})
			delete(stated, name)
		}
	}
	return c, nil
}

// sameVersions is [sameVersion] for the tools of two lists that bear the same name.
func sameVersions(was, is []jsontext.Value) (then, now []jsontext.Value, stated map[string]*drift.Change) {
	then, now, stated = append(then, was...), append(now, is...), map[string]*drift.Change{}
	at := map[string]int{}
	for i, raw := range then {
		if name := nameOf(raw); name != "" {
			if _, again := at[name]; !again {
				at[name] = i
			}
		}
	}
	for i, raw := range now {
		name := nameOf(raw)
		if j, ok := at[name]; ok && stated[name] == nil {
			then[j], now[i], stated[name] = sameVersion(then[j], raw)
		}
	}
	return then, now, stated
}

// claimNew makes a call that claims the old version claim the new one, as the definitions of [sameVersion] state it.
func claimNew(args jsontext.Value, stated *drift.Change) jsontext.Value {
	var members map[string]jsontext.Value
	if stated == nil || json.Unmarshal(args, &members) != nil || string(members["schema_version"]) != string(stated.Old) {
		return args
	}
	members["schema_version"] = stated.New
	out, err := json.Marshal(members)
	if err != nil {
		return args
	}
	return out
}
