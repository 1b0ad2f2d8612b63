// Package client is what an agent imports to say what its tools looked like, what the model called and what it cost.
//
// [Client.Emit] never blocks and never fails: it puts an event into a bounded buffer, from which one goroutine makes messages
// and publishes them to JetStream with acknowledgements. Whatever is lost on the way - because the buffer is full, NATS is away
// for too long, an event is too large - is counted by reason ([Client.Stats]), logged ([Config.Log]) and reported in
// client_heartbeat events. [Client.Close] sends what is left, and returns in time whatever NATS does ([Config.CloseTimeout]).
// [Client.Publish] is for those who would rather wait: it returns when JetStream has acknowledged. The zero [Client] is safe to
// use; it drops everything, and counts it.
//
// [Client.ToolCallStart], [Client.Activation] and [Client.RequestStart] build events from what an agent has in hand: the name
// and arguments of a call, the raw body of a request. Digests and shapes are taken at once; no body, prompt or argument value
// is kept, unless [Config.KeepArguments] says so.
//
// The client also knows the registry of tool schemas and the breaker's switches, and hears of every change within a moment.
// [Client.Definition] is the version of a tool that a conversation should see. [Call.Check] decides, before a tool runs, whether it may:
// a disabled, unknown or unloaded tool is refused in words for the model, arguments of an old version are migrated, and the verdict goes
// into the call's event. What the client does not know it allows, unless [Config.FailClosed] says otherwise.
//
// [Client.NewIDs] and [Call.IDs] find ids in arguments that the model has read nowhere. What leaves is their place and a digest.
package client
