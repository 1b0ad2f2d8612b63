package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

// Config says who speaks, where to, and how much may wait. Start from [DefaultConfig].
type Config struct {
	// NATS says where to connect. It is not used where Conn is set.
	NATS stream.Config
	// Conn is a connection of the agent's own to use; the client does not close it.
	Conn *nats.Conn

	// Source names the agent (a URI reference). Empty is /agents/ and the agent's name, or the program's where it has none.
	Source string
	// Context is put into every event, field by field, where the event's own field is empty.
	Context events.Context
	// Partitions is the number of partitions, the same for all publishers of a deployment.
	Partitions int
	// Digester makes the digests of the helpers. Without a key they are plain SHA-256, and who reads them can try short values, such as ids of a
	// few digits, until one has the digest: set Key where argument values must stay unknown. All publishers of a deployment need the same key. See
	// docs/what-leaves-your-agent.md.
	Digester events.Digester
	// KeepArguments lets the helpers put argument values into events. Off, no value leaves the agent but as a digest.
	KeepArguments bool

	// BufferEvents and BufferBytes bound what waits to be acknowledged; an event over it is dropped.
	BufferEvents int
	BufferBytes  int64
	// BatchEvents, BatchBytes and BatchAge say when a message is complete: so many events, so many bytes, or so long after its
	// first event. The bytes also keep to the server's limit, and a single event may exceed them.
	BatchEvents int
	BatchBytes  int
	BatchAge    time.Duration
	// Window is how many messages may wait for their acknowledgement at once.
	Window int
	// AckWait is how long one attempt waits for its acknowledgement.
	AckWait time.Duration
	// RetryFor is how long after its first attempt a message may be sent again, always under the same id. It must stay under half
	// of the stream's duplicate window, or an event could be stored twice. A message that was never sent waits for as long as it takes.
	RetryFor time.Duration
	// HeartbeatEvery is the pause between client_heartbeat events.
	HeartbeatEvery time.Duration
	// NoHeartbeat sends none: for programs that are no agent, such as an import of files.
	NoHeartbeat bool
	// History says that the events are of long ago, see [events.HistoryHeader]: the breaker does not act on them.
	History bool
	// CloseTimeout bounds [Client.Close] where its context has no deadline.
	CloseTimeout time.Duration
	// NoRegistry keeps the client from reading the registry and the breaker's switches: for programs that call no tools, such as an
	// import of files. [Call.Check] then looks names up and no more.
	NoRegistry bool
	// FailClosed refuses calls while it is not known which tools are disabled: before the switches were read, and when NATS has been away
	// for longer than SwitchesFor. Off, such calls are allowed.
	FailClosed bool
	// SwitchesFor is how long the switches that were read last count while NATS is away.
	SwitchesFor time.Duration
	// RefuseSilentDefaults refuses a call whose argument has another name now, so that a default would silently take its place, where no
	// migration helps. Off, the call is allowed, and its verdict and event say so.
	RefuseSilentDefaults bool
	// Log hears of the connection (that it is not reached, was lost, is back), of attempts without success, and of how many events
	// were dropped and why; never of an event's values or of credentials. Nil is [slog.Default], from warnings up. To be silent,
	// use slog.New(slog.DiscardHandler).
	Log *slog.Logger
}

// DefaultConfig returns room for 65,536 events or 64 MiB and messages of up to 512 events, 256 KiB or 200 ms.
func DefaultConfig() Config {
	nats := stream.DefaultConfig()
	nats.Name = "tooltrail client"
	return Config{
		NATS:           nats,
		Partitions:     1,
		BufferEvents:   65_536,
		BufferBytes:    64 << 20,
		BatchEvents:    512,
		BatchBytes:     256 << 10,
		BatchAge:       200 * time.Millisecond,
		Window:         64,
		AckWait:        5 * time.Second,
		RetryFor:       nats.Duplicates/2 - 10*time.Second,
		HeartbeatEvery: 30 * time.Second,
		CloseTimeout:   10 * time.Second,
		SwitchesFor:    10 * time.Minute,
	}
}

// Validate reports everything that is wrong with the settings.
func (c Config) Validate() error {
	var errs []error
	if c.Conn == nil {
		errs = append(errs, c.NATS.Validate())
	}
	for name, n := range map[string]int64{
		"partitions": int64(c.Partitions), "buffer events": int64(c.BufferEvents), "buffer bytes": c.BufferBytes,
		"batch events": int64(c.BatchEvents), "batch bytes": int64(c.BatchBytes), "batch age": int64(c.BatchAge),
		"window": int64(c.Window), "ack wait": int64(c.AckWait), "retry time": int64(c.RetryFor), "heartbeat pause": int64(c.HeartbeatEvery),
		"close timeout": int64(c.CloseTimeout), "time for switches": int64(c.SwitchesFor),
	} {
		if n <= 0 {
			errs = append(errs, fmt.Errorf("client %s: want more than 0", name))
		}
	}
	if c.Conn == nil && 2*c.RetryFor >= c.NATS.Duplicates {
		errs = append(errs, fmt.Errorf("client retry time %v: want less than half of the duplicate window %v", c.RetryFor, c.NATS.Duplicates))
	}
	if c.NoRegistry && c.FailClosed {
		errs = append(errs, errors.New("client without registry that fails closed: it would refuse every call"))
	}
	return errors.Join(errs...)
}

// completed fills in what may be left empty.
func (c Config) completed() Config {
	if c.Log == nil {
		c.Log = slog.New(warnings{slog.Default().Handler()})
	}
	if c.Source == "" {
		name := c.Context.AgentName
		if name == "" {
			name = filepath.Base(os.Args[0])
		}
		c.Source = "/agents/" + url.PathEscape(name)
	}
	fitTexts(&c.Source)
	fitContext(&c.Context)
	return c
}

// warnings passes on what is a warning at least.
type warnings struct{ slog.Handler }

// Enabled asks the handler only from warnings up.
func (w warnings) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && w.Handler.Enabled(ctx, l)
}
