package mcpserver

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tap is a transport that keeps the answers to tools/list as the server sent them. The session above gets an empty list in their
// place: it would decode tools and forget their bytes, and one tool that it can't decode would hide the others.
type tap struct {
	mcp.Transport
	conn *tapped
}

// Connect connects the transport below.
func (t *tap) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	t.conn = &tapped{Connection: c}
	return t.conn, nil
}

// tapped is the tap's connection.
type tapped struct {
	mcp.Connection

	mu       sync.Mutex
	asked    jsonrpc.ID
	waiting  bool
	answer   json.RawMessage
	greeting jsonrpc.ID
	protocol string
}

const (
	methodList       = "tools/list"
	methodInitialize = "initialize"
)

// emptyList is what the session above is told.
const emptyList = `{"tools":[],"resultType":"complete"}`

// Write notes which request asks for tools.
func (t *tapped) Write(ctx context.Context, msg jsonrpc.Message) error {
	if req, ok := msg.(*jsonrpc.Request); ok {
		t.mu.Lock()
		switch req.Method {
		case methodList:
			t.asked, t.waiting, t.answer = req.ID, true, nil
		case methodInitialize:
			t.greeting = req.ID
		}
		t.mu.Unlock()
	}
	return t.Connection.Write(ctx, msg)
}

// Read keeps the answer to that request.
func (t *tapped) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := t.Connection.Read(ctx)
	resp, ok := msg.(*jsonrpc.Response)
	if err != nil || !ok || resp.Error != nil {
		return msg, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.waiting && resp.ID == t.asked:
		t.waiting, t.answer = false, resp.Result
		resp.Result = json.RawMessage(emptyList)
	case t.protocol == "" && t.greeting.IsValid() && resp.ID == t.greeting:
		var greeting struct {
			ProtocolVersion string `json:"protocolVersion"`
		}
		_ = json.Unmarshal(resp.Result, &greeting) // the session says what is wrong with it
		t.protocol = greeting.ProtocolVersion
	}
	return resp, nil
}

// take returns the answer to the last request for tools, and nil when there was none.
func (t *tapped) take() json.RawMessage {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.answer
}

// agreed returns the version of the protocol that the server chose; empty before it did.
func (t *tapped) agreed() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.protocol
}
