package prefix

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// happened is a happening of a test at a second, with the tools and servers it names.
func happened(kind HappeningKind, second float64, tools, servers string) Happening {
	return Happening{Kind: kind, Time: t0.Add(time.Duration(second * float64(time.Second))), Tools: strings.Fields(tools), Servers: strings.Fields(servers)}
}

func roster(digest string) opt { return func(o *Observed) { o.RosterDigest = digest } }
func version(v string) opt     { return func(o *Observed) { o.AgentVersion = v } }
func inTurn(h Happening, turn int64) Happening {
	h.Turn = turn
	return h
}
func of(h Happening, roster string) Happening {
	h.Digest = roster
	return h
}

func TestACauseIsNamedWhereWhatHappenedExplainsTheChange(t *testing.T) {
	known := KnownTools{Deferred: map[string]map[string]bool{
		"loaded":   {"A": false, "B": false, "C": false, "Search": false},
		"deferred": {"A": true, "B": true, "C": true, "Search": false},
		"one":      {"A": true, "B": false, "C": false, "Search": false},
	}}
	two := func(before, after string, opts ...opt) []Observed {
		return []Observed{req(1, 0, 0, 5000, tools(before)), req(2, 9, 0, 5000, append([]opt{tools(after)}, opts...)...)}
	}
	rosters := func(before, after, a, b string) []Observed {
		return []Observed{req(1, 0, 0, 5000, tools(a), roster(before)), req(2, 9, 0, 5000, tools(b), roster(after))}
	}
	const gh = "A:1,mcp__gh__x:2"
	for _, tt := range []struct {
		name string
		reqs []Observed
		with []Happening
		want string // cause and names
	}{
		{"loaded since", two("A:1", "A:1,B:2"), []Happening{happened(HappenedActivation, 5, "B", "")}, "activation B"},
		{"loaded before", two("A:1", "A:1,B:2"), []Happening{happened(HappenedActivation, -1, "B", "")}, " "},
		{"loaded with the earlier request", two("A:1", "A:1,B:2"), []Happening{happened(HappenedActivation, 0, "B", "")}, " "},
		{"loaded later", two("A:1", "A:1,B:2"), []Happening{happened(HappenedActivation, 11, "B", "")}, " "},
		{"a clock a little ahead", two("A:1", "A:1,B:2"), []Happening{happened(HappenedActivation, 9.9, "B", "")}, "activation B"},
		{"by turn, whatever the clock", two("A:1", "A:1,B:2", func(o *Observed) { o.Turn = 3 }), []Happening{inTurn(happened(HappenedActivation, 500, "B", ""), 2)}, "activation B"},
		{"in a later turn, whatever the clock", two("A:1", "A:1,B:2"), []Happening{inTurn(happened(HappenedActivation, 5, "B", ""), 3)}, " "},
		{"something else was loaded", two("A:1", "A:1,B:2"), []Happening{happened(HappenedActivation, 5, "C", "")}, " "},
		{"some of it was loaded", two("A:1", "A:1,B:2,C:3"), []Happening{happened(HappenedActivation, 5, "C", "")}, "activation C"},
		{"a server came", two("A:1", gh), []Happening{happened(HappenedConnection, 5, "A mcp__gh__x", "gh")}, "reconnect gh"},
		{"a server went", two(gh, "A:1"), []Happening{happened(HappenedConnection, 5, "A", "gh jira")}, "reconnect gh"},
		{"another server came", two("A:1", gh), []Happening{happened(HappenedConnection, 5, "A", "jira")}, " "},
		{"tools without a server's name", two("A:1", "A:1,x:2"), []Happening{happened(HappenedConnection, 5, "A x", "gh")}, "reconnect gh"},
		{"a server's own list", two("A:1", gh), []Happening{happened(HappenedListChange, 5, "x y", "gh")}, "list_changed mcp__gh__x"},
		{"another server's list", two("A:1", gh), []Happening{happened(HappenedListChange, 5, "x y", "jira")}, " "},
		{"the agent's list", two("A:1,B:2", "A:1,C:3"), []Happening{happened(HappenedListChange, 5, "A C", "")}, "list_changed C B"},
		{"a list that has what is gone", two("A:1,B:2", "A:1"), []Happening{happened(HappenedListChange, 5, "A B", "")}, " "},
		{"a list with another definition", two("A:1,B:2", "A:1,B:9"), []Happening{happened(HappenedListChange, 5, "A B", "")}, "list_changed B"},
		{"a permission is no other definition", two("A:1,B:2", "A:1,B:9"), []Happening{happened(HappenedPermission, 5, "A B", "")}, " "},
		{"a permission taken away", two("A:1,B:2", "A:1"), []Happening{happened(HappenedPermission, 5, "A", "")}, "permission B"},
		{"the roster that was in force before", rosters("ra", "rb", "A:1", "A:1,B:2"), []Happening{of(happened(HappenedDeploy, 1, "A", ""), "ra")}, " "},
		{"the roster that came", rosters("ra", "rb", "A:1", "A:1,B:2"), []Happening{of(happened(HappenedDeploy, 8, "A B", ""), "rb")}, "deploy "},
		{"one roster all along", rosters("ra", "ra", "A:1", "A:1,B:2"), []Happening{happened(HappenedPermission, 5, "A B", "")}, " "},
		{"all deferred at once", rosters("loaded", "deferred", "A:1,B:1,C:1,Search:1", "Search:1"), nil, "threshold A B C"},
		{"none deferred any more", rosters("deferred", "loaded", "Search:1", "A:1,B:1,C:1,Search:1"), nil, "threshold A B C"},
		{"one deferred", rosters("loaded", "one", "A:1,B:1,C:1,Search:1", "B:1,C:1,Search:1"), nil, " "},
		{"another version", two("A:1", "A:1,B:2", version("2")), nil, " "},
		{"two versions", []Observed{req(1, 0, 0, 5000, version("1")), req(2, 9, 0, 5000, system("t"), version("2"))}, nil, "deploy 1 2"},
		{"a new version with another model", []Observed{req(1, 0, 0, 5000, version("1")), req(2, 9, 0, 5000, model("claude-haiku-4-5"), version("2"))}, nil, "deploy 1 2"},
		{"an activation is no other model", []Observed{req(1, 0, 0, 5000), req(2, 9, 0, 5000, model("claude-haiku-4-5"), tools("A:1,B:2,C:3"))},
			[]Happening{happened(HappenedActivation, 5, "C", "")}, " "},
		{"time has no cause", []Observed{req(1, 0, 0, 5000, version("1")), req(2, 900, 0, 5000, version("2"))}, nil, " "},
	} {
		s := DefaultSettings()
		s.Known = known
		judged := Judge(tt.reqs, s, tt.with...)
		v := judged[len(judged)-1]
		if got := string(v.Cause) + " " + strings.Join(v.CauseNames, " "); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// anyHappenings draws what may have happened around [anyRequests].
func anyHappenings(t *rapid.T) []Happening {
	kinds := []HappeningKind{HappenedActivation, HappenedListChange, HappenedPermission, HappenedDeploy, HappenedConnection}
	names := rapid.SliceOfN(rapid.SampledFrom([]string{"t0", "t1", "t2", "t3"}), 0, 4)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Happening {
		return Happening{
			Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Turn: rapid.Int64Range(0, 12).Draw(t, "turn"),
			Time:  t0.Add(time.Duration(rapid.IntRange(0, 2000).Draw(t, "time")) * time.Second),
			Tools: names.Draw(t, "tools"), Servers: rapid.SliceOfN(rapid.SampledFrom([]string{"s", "t"}), 0, 2).Draw(t, "servers"),
		}
	}), 0, 12).Draw(t, "happenings")
}

func TestACauseNamesOnlyWhatHappenedBetweenTheTwoRequests(t *testing.T) {
	kindOf := map[CauseKind]HappeningKind{
		CauseActivation: HappenedActivation, CauseReconnect: HappenedConnection, CauseListChange: HappenedListChange,
		CausePermission: HappenedPermission, CauseDeploy: HappenedDeploy,
	}
	rapid.Check(t, func(t *rapid.T) {
		reqs, happenings := anyRequests(t), anyHappenings(t)
		plain := Judge(reqs, DefaultSettings())
		for i, v := range Judge(reqs, DefaultSettings(), happenings...) {
			if v.Verdict != plain[i].Verdict || !slices.Equal(v.Secondary, plain[i].Secondary) {
				t.Fatalf("request %d: what happened changed the verdict: %s, was %s", i, v.Verdict, plain[i].Verdict)
			}
			if v.Cause == CauseNone {
				continue
			}
			before, after := &reqs[v.Compared], &reqs[i]
			between := slices.ContainsFunc(happenings, func(h Happening) bool {
				inTurn := h.Turn > before.Turn && h.Turn < after.Turn && before.Turn > 0
				inTime := h.Time.After(before.StartTime) && !h.Time.After(after.StartTime.Add(happeningSlack))
				return h.Kind == kindOf[v.Cause] && (inTurn || inTime)
			})
			if !between {
				t.Fatalf("request %d: %s %v, and nothing of it happened since", i, v.Cause, v.CauseNames)
			}
			if v.Cause == CauseActivation && !slices.ContainsFunc(v.Tools, func(c ToolChange) bool { return slices.Contains(v.CauseNames, c.Name) }) {
				t.Fatalf("request %d: %v loaded, and none of them changed: %+v", i, v.CauseNames, v.Tools)
			}
		}
	})
}
