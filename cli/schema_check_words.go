package cli

import "github.com/tooltrail/tooltrail/drift"

// outcomeMeanings explain what became of old calls, where the word does not.
var outcomeMeanings = map[string]string{
	drift.ReplayNotOld:   "the schemas in use do not take the call either, or lack its tool: it says nothing of the new ones",
	drift.ReplayGone:     "the new schemas have no tool of that name",
	drift.ReplayDefault:  "taken, and run with a default in place of a value under a former name",
	drift.ReplayIgnored:  "taken, and a value is ignored: its name is not known any more",
	drift.ReplayUnjudged: "too much to be checked",
}
