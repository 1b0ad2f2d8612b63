// Package mcpserver reads the tools of a live MCP server ([List]): over standard input and output of a program that it starts, over
// streamable HTTP, or over the older HTTP with server-sent events. It takes every page, and each definition in the bytes that the
// server sent, since the wire digest is over those.
//
// A server is not trusted: pages, tools, bytes and time are bounded ([Config]), one bad definition does not hide the others
// ([Problem]), and a program that was started is gone when List returns.
package mcpserver
