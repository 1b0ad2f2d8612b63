package mcpserver_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// hostile are servers that keep to the protocol as far as it takes to do harm.
var hostile = map[string]func(){
	"exits": func() {
		fmt.Fprintln(os.Stderr, "cannot open the database:\n  no such file")
		os.Exit(7)
	},
	"silent":   func() { select {} },
	"stubborn": func() { signal.Ignore(syscall.SIGTERM); answerLists(`{"tools":[]}`); select {} },
	"spawns": func() {
		// A grandchild in the same group that outlives its parent and holds its outputs open.
		cmd := exec.Command("sleep", "3600")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		_ = cmd.Start()
		_ = os.WriteFile(os.Getenv("PID_FILE"), []byte(fmt.Sprint(cmd.Process.Pid)), 0o600)
		answerLists(`{"tools":[]}`)
	},
	"garbage": func() { answerWith(func(request) string { return `{"jsonrpc":"2.0","id":` }) },
	"html":    func() { fmt.Println("<html>\n<body>It works!</body>\n</html>"); select {} },
	"refuses": func() {
		answerWith(func(r request) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"no licence"}}`, r.ID)
		})
	},
	"dies in the list": func() {
		answerList(func(request) string { fmt.Fprintln(os.Stderr, "panic: out of tools"); os.Exit(2); return "" })
	},
	"hangs in the list": func() { answerList(func(request) string { select {} }) },
	"no result":         func() { answerLists(`null`) },
	"no object":         func() { answerLists(`[1]`) },
	"no list":           func() { answerLists(`{"tools":{"a":1}}`) },
	"bad cursor":        func() { answerLists(`{"tools":[],"nextCursor":7}`) },
	"loops":             func() { answerLists(`{"tools":[],"nextCursor":"again"}`) },
	"endless": func() {
		n := 0
		answerList(func(request) string { n++; return fmt.Sprintf(`{"tools":[],"nextCursor":"%d"}`, n) })
	},
	"many": func() {
		n := 0
		answerList(func(request) string {
			n++
			var tools []string
			for i := range 100 {
				tools = append(tools, fmt.Sprintf(`{"name":"t%d_%d","inputSchema":{"type":"object"}}`, n, i))
			}
			return fmt.Sprintf(`{"tools":[%s],"nextCursor":"%d"}`, strings.Join(tools, ","), n)
		})
	},
	"large": func() {
		answerLists(`{"tools":[{"name":"a","description":"` + strings.Repeat("x", 1<<20) + `","inputSchema":{"type":"object"}}]}`)
	},
	"long line": func() {
		for {
			if _, err := fmt.Print(strings.Repeat("x", 1<<16)); err != nil {
				return
			}
		}
	},
	"mixed": func() { answerLists(mixedList) },
	"odd": func() {
		answerLists(oddList)
	},
	"only new": func() {
		answerWith(func(r request) string {
			switch r.Method {
			case "server/discover":
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete",`+
					`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"9"}}}}`, r.ID)
			case "tools/list":
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"resultType":"complete"}}`, r.ID)
			}
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"method not found"}}`, r.ID)
		})
	},
	"nameless": func() {
		answerWith(func(r request) string {
			if r.Method == "initialize" {
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}}}}`, r.ID)
			}
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}`, r.ID)
		})
	},
}

// mixedList has one tool that is as it should be between many that are not.
const mixedList = `{"tools":[` +
	`{"name":"first","inputSchema":{"type":"object"}},` +
	`{"name":"bare"},` +
	`{"name":"strange","inputSchema":{"type":"objekt"}},` +
	`{"name":"text","inputSchema":"{}"},` +
	`{"description":"no name","inputSchema":{"type":"object"}},` +
	`{"name":7,"inputSchema":{"type":"object"}},` +
	`"not a tool",` +
	`{"name":"first","inputSchema":{"type":"object","properties":{"a":{}}}},` +
	`{"name":"twice","name":"again","inputSchema":{"type":"object"}},` +
	`{"name":"outside","inputSchema":{"$ref":"https://example.org/schema.json"}},` +
	`{"name":"last","description":"fine","inputSchema":{"type":"object"},"annotations":"of the wrong type"}]}`

// oddList is valid and written as nobody would: a digest over anything but these bytes is another one.
const oddList = `{ "nextCursor" : null, "tools" : [ { "inputSchema": {"type":"object",` + `"properties":{"\u0061":{"maximum":1.0e2}}} ,` +
	` "name":"odd\u002fname" , "description":"a < b \/ c & d \u2028 é"  } ] }`

// oddDefinition is the tool in it.
const oddDefinition = `{ "inputSchema": {"type":"object",` + `"properties":{"\u0061":{"maximum":1.0e2}}} ,` +
	` "name":"odd\u002fname" , "description":"a < b \/ c & d \u2028 é"  }`

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
}

// answerWith answers each request with a line.
func answerWith(answer func(request) string) {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var r request
		if json.Unmarshal(in.Bytes(), &r) != nil || r.ID == nil {
			continue
		}
		fmt.Println(answer(r))
	}
}

// answerList greets as a server should and answers tools/list with a result.
func answerList(result func(request) string) {
	answerWith(func(r request) string {
		if r.Method == "initialize" {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"hostile","version":"1"}}}`, r.ID)
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result(r))
	})
}

func answerLists(result string) { answerList(func(request) string { return result }) }

// pause is for what must not come too early.
const pause = 20 * time.Millisecond
