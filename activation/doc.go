// Package activation judges which tools a model names: it looks called names up in what a conversation knows ([Roster],
// [State]), says why a call may not run ([Refusal]), loads tools by their exact names ([Loader]), finds ids in arguments that appeared
// nowhere before ([IDs]), and reads all of it back from the store ([Analyze]).
//
// The order in which a name is looked up is that of docs/design.md, Activation: exact and loaded, in the roster but not loaded,
// renamed, of a server that is not connected, not permitted, a server's own name, prefix dropped or doubled, same letters, near,
// unknown. Names that are merely near are for people: an agent never gets a guess.
package activation
