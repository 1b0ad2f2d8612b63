package prefix

import "time"

// Happening is something that happened around a conversation's requests and may explain a change between two of them.
type Happening struct {
	Kind HappeningKind
	// Time is when it happened, Turn in which of the model's answers; 0 where that is not known.
	Time time.Time
	Turn int64
	// Tools are the names that were loaded, or that the list has now. Servers are those that it is about.
	Tools   []string
	Servers []string
	// Digest is that of the roster that told of it, "" where none did.
	Digest string
}

// HappeningKind says what happened.
type HappeningKind string

// The kinds of happenings, each by the event that told of it.
const (
	// HappenedActivation is an activation that loaded tools.
	HappenedActivation HappeningKind = "activation"
	// HappenedListChange is a roster that came because a server's list of tools changed.
	HappenedListChange HappeningKind = "list_changed"
	// HappenedPermission is a roster that came because permissions changed.
	HappenedPermission HappeningKind = "permission"
	// HappenedDeploy is a roster that came with a deploy.
	HappenedDeploy HappeningKind = "deploy"
	// HappenedConnection is a roster with other servers not connected than the one before.
	HappenedConnection HappeningKind = "connection"
)

// CauseKind says what made a part of the prefix change.
type CauseKind string

// The causes, in the order in which they are tried.
const (
	// CauseNone is a change that nothing known explains.
	CauseNone CauseKind = ""
	// CauseActivation is a tool that stands in the tools because it was activated just before.
	CauseActivation CauseKind = "activation"
	// CauseReconnect is a server that came or went.
	CauseReconnect CauseKind = "reconnect"
	// CauseListChange is a server that changed its list of tools.
	CauseListChange CauseKind = "list_changed"
	// CausePermission is a permission that changed.
	CausePermission CauseKind = "permission"
	// CauseThreshold is a roster in which all tools became deferred, or none any more, at once.
	CauseThreshold CauseKind = "threshold"
	// CauseDeploy is another version of the agent.
	CauseDeploy CauseKind = "deploy"
)

// Rhythm says how a part of the prefix changes along a conversation.
type Rhythm string

// The rhythms; a part that never changed has none.
const (
	// Once is a part that changed, fewer times than would make it volatile, and did not come back.
	Once Rhythm = "once"
	// Volatile is a part that changes with every request, or took a new value at least [Settings.FluxRequests] times, and never comes back: a
	// clock, a counter.
	Volatile Rhythm = "volatile"
	// Flapping is a part that alternates between a few values.
	Flapping Rhythm = "flapping"
)

// Agreement is how the provider's own diagnosis of a cache miss stands beside a verdict.
type Agreement string

// The agreements; a request without a diagnosis has none.
const (
	// Agrees: the provider names what the verdict or one of its secondary reasons names.
	Agrees Agreement = "agrees"
	// Disagrees: the provider names something else, or names a miss where the verdict has none.
	Disagrees Agreement = "disagrees"
	// Unclear: the provider could not tell, or its words are not known.
	Unclear Agreement = "unclear"
)
