package e2e

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/stream"
)

// TestADefinitionIsKnownEverywhere takes a definition through real processes: into the bucket, to a second ingester and the analyzer, into the
// history, and back into a bucket that was lost, while all runs and after a restart.
func TestADefinitionIsKnownEverywhere(t *testing.T) {
	s := newSite(t, 2)
	js := s.jetStream()
	bucket := stream.NewBucket(js, stream.RegistryBucket)
	analyzing := s.startAnalyzer()
	k := drift.Key{Server: "shop", Tool: "process_order"}

	s.post(definitionOf(k, "v1", "amount"))
	waitFor(t, time.Minute, "the bucket to have it", func() bool { return activeVersion(t, bucket, k) == "v1" })
	for _, p := range append(s.ingesters, analyzing) {
		waitFor(t, time.Minute, p.name+" to know it", func() bool { return strings.Contains(metricsOf(t, p), "_registry_tools 1\n") })
	}
	s.post(definitionOf(k, "v2", "quantity"))
	waitFor(t, time.Minute, "the bucket to have the next version", func() bool { return activeVersion(t, bucket, k) == "v2" })
	db := s.openStore(t.Context())
	s.judged(db, k, `{"amount":1}`, events.DriftOldVersion)

	s.inHistory(db, k, 1)
	s.forgetRegistry(js)
	waitFor(t, time.Minute, "a lost bucket to be filled again", func() bool { return activeVersion(t, bucket, k) == "v2" })

	for _, p := range s.ingesters {
		p.signal(syscall.SIGTERM)
		<-p.done
	}
	s.inHistory(db, k, 2)
	s.forgetRegistry(js)
	s.ingesters[0].start()
	waitFor(t, time.Minute, "a restart to fill it from the store", func() bool { return activeVersion(t, bucket, k) == "v2" })
	s.judged(db, k, `{"amount":"much"}`, events.DriftValidationError)

	s.inHistory(db, k, 3)
}

// inHistory waits until the history has changes of a tool in so many buckets, one made after the other.
func (s *site) inHistory(db *store.DB, k drift.Key, buckets int) {
	s.t.Helper()
	waitFor(s.t, time.Minute, fmt.Sprintf("changes in %d buckets to be in the history", buckets), func() bool {
		changes, err := db.ToolChanges(s.t.Context(), store.ToolChangeFilter{Bucket: stream.RegistryBucket, Tool: k.Tool})
		epochs := map[string]bool{}
		for _, c := range changes {
			epochs[c.Epoch] = true
		}
		return err == nil && len(epochs) == buckets
	})
}

func (s *site) jetStream() jetstream.JetStream {
	s.t.Helper()
	nc, err := nats.Connect(natsURL(s.nats.ready))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		s.t.Fatal(err)
	}
	return js
}

func (s *site) startAnalyzer() *process {
	s.t.Helper()
	addr := freeAddr(s.t)
	env := []string{"TOOLTRAIL_NATS=" + natsURL(s.nats.ready), "TOOLTRAIL_CLICKHOUSE=http://" + s.engine.ready}
	p := newProcess(s.t, "analyzer", addr, env, "analyzer", "-listen", addr, "-interval", "1s")
	p.start()
	p.waitReady()
	return p
}

// post gives an event to the first ingester's intake.
func (s *site) post(d events.Data) {
	s.t.Helper()
	line, err := events.AppendEvent(nil, &events.Event{ID: uuid.NewString(), Source: "test/agent", Time: time.Now(), Data: d})
	if err != nil {
		s.t.Fatal(err)
	}
	waitFor(s.t, time.Minute, "the intake to take an event", func() bool {
		resp, err := http.Post("http://"+s.ingesters[0].ready+"/v1/events", "application/x-ndjson", strings.NewReader(string(line)))
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// judged posts a call that nobody judged and waits for it to be stored with a class.
func (s *site) judged(db *store.DB, k drift.Key, arguments string, want events.DriftClass) {
	s.t.Helper()
	conversation := uuid.NewString()
	s.post(&events.ToolCall{
		Context: events.Context{ConversationID: conversation}, ToolName: k.Tool, Server: k.Server, Outcome: events.OutcomeOK, Arguments: []byte(arguments),
	})
	var row struct {
		Class string `ch:"drift_class"`
	}
	waitFor(s.t, time.Minute, "a call to be stored", func() bool {
		n := 0
		err := db.Each(s.t.Context(), "SELECT drift_class FROM tool_calls WHERE conversation_id = ?", []any{conversation}, &row, func() error {
			n++
			if row.Class != string(want) {
				s.t.Errorf("%s: class %q, want %q", arguments, row.Class, want)
			}
			return nil
		})
		return err == nil && n == 1
	})
}

func (s *site) forgetRegistry(js jetstream.JetStream) {
	s.t.Helper()
	if err := js.DeleteKeyValue(s.t.Context(), stream.RegistryBucket); err != nil {
		s.t.Fatal(err)
	}
}

func definitionOf(k drift.Key, version, field string) *events.ToolDefinition {
	d := &events.ToolDefinition{
		ToolName: k.Tool, Server: k.Server, SchemaVersion: version,
		Definition: fmt.Appendf(nil, `{"name":%q,"inputSchema":{"type":"object","properties":{%q:{"type":"integer"}},"required":[%q],"additionalProperties":false}}`, k.Tool, field, field),
	}
	digests, err := events.Digester{}.Tool(d.Definition)
	if err != nil {
		panic(err)
	}
	d.WireDigest, d.DefinitionDigest, d.SchemaDigest = digests.Wire, digests.Definition, digests.Schema
	return d
}

// activeVersion is the active version of a tool in the bucket, empty where there is none.
func activeVersion(t *testing.T, b *stream.Bucket, k drift.Key) string {
	t.Helper()
	key, err := stream.Key(k.Server, k.Tool)
	if err != nil {
		t.Fatal(err)
	}
	e, err := b.Get(t.Context(), key)
	if err != nil {
		if !errors.Is(err, stream.ErrNoKey) && !errors.Is(err, jetstream.ErrBucketNotFound) && !errors.Is(err, jetstream.ErrStreamNotFound) {
			t.Log(err)
		}
		return ""
	}
	d, err := drift.DecodeDocument(e.Value)
	if err != nil {
		t.Fatal(err)
	}
	if v := d.Active(); v != nil {
		return v.Version
	}
	return ""
}

func metricsOf(t *testing.T, p *process) string {
	t.Helper()
	resp, err := http.Get("http://" + p.ready + "/metrics")
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Log(err)
	}
	return string(page)
}
