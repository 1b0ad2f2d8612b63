// Package report prints what the analyzer says for people: a short table per question, the worst first, plain figures, and
// what to do next.
//
// Names come from models and strangers' servers, so every one goes through [Safe] before it is printed: control, format and
// bidirectional characters are escaped and long names are cut. Colour and width are the caller's choice ([Style]).
package report
