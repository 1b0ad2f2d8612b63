// Package prefix says which requests broke the prompt cache, why, and what that cost.
//
// [Judge] compares each request of a conversation with its predecessor - the latest earlier request with usable usage whose
// messages it extends - and gives it a [Verdict]. It works from digests alone: no prompt text is needed. [Analyze] does so for
// everything stored in a window and adds it up in a [Report]. [Prices] is the dated table that turns tokens into dollars.
//
// The rules are those of the design document, section 4, "Prefix"; docs/decisions 060 to 064 say where they had to be made precise.
package prefix
