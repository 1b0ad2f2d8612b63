package ingest_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/ingest"
	"github.com/tooltrail/tooltrail/store"
)

// plain is an event as an agent in another language writes it.
func plain(kind events.Kind, at int, data string) []byte {
	return fmt.Appendf(nil, `{"specversion":"1.0","id":"%s","source":"agent/python","type":"dev.tooltrail.%s.v1","time":"%s","data":{"agent_name":"py","conversation_id":"c",%s}}`,
		uuid.NewString(), kind, time.Unix(1_700_000_000+int64(at), 0).UTC().Format(time.RFC3339), data)
}

func plainCall(at, turn int, name string) []byte {
	return plain(events.KindToolCall, at, fmt.Sprintf(`"turn":%d,"tool_name":%q,"outcome":"ok","input_tokens":10`, turn, name))
}

// plainRoster has web_search and, to be loaded, edit_file.
func plainRoster() []byte {
	d := events.Digester{}.Full([]byte("d"))
	tool := func(name string, deferred bool) string {
		return fmt.Sprintf(`{"name":%q,"wire_digest":%q,"definition_digest":%q,"schema_digest":%q,"deferred":%t}`, name, d, d, d, deferred)
	}
	return plain(events.KindToolRoster, 0, fmt.Sprintf(`"turn":1,"roster_digest":%q,"reason":"deploy","tools":[%s,%s]`, d, tool("web_search", false), tool("edit_file", true)))
}

// TestNamesOfAgentsInOtherLanguagesAreJudged posts events that say nothing of names, and restarts the ingester among them.
func TestNamesOfAgentsInOtherLanguagesAreJudged(t *testing.T) {
	db := openStore(t)
	js := startBroker(t).connect()
	makeStreams(t, js)
	url := startIntake(t, js)
	start := func() *running {
		return runWith(t, ingest.Parts{JetStream: js, Sink: db, Enricher: ingest.NewClassifier(slog.New(slog.DiscardHandler))}, quick())
	}
	send := func(stored uint64, all ...[]byte) {
		t.Helper()
		if status, a := post(t, url, lines(all...)); status != http.StatusOK || a.Accepted != len(all) {
			t.Fatalf("status %d, %+v", status, a)
		}
		eventually(t, "events stored", func() bool { return countEvents(t, db) >= stored })
	}
	r := start()
	send(2, plainRoster(), plainCall(1, 1, "edit_file"))
	send(3, plain(events.KindActivation, 2, `"turn":1,"via":"activation_tool","asked":["edit_file"],"loaded":["edit_file"]`))
	send(4, plainCall(3, 2, "edit_file"))
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	r = start()
	send(8, plainCall(4, 3, "edit_file"), plainCall(5, 4, "WebSearch"), plainCall(6, 5, "WebSearch"), plainCall(7, 6, "WebSearch"))
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	set := activation.DefaultSettings()
	set.JudgeAfter = 0
	if err := activation.NewSettler(db, db).Settle(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	report, _, err := activation.Analyze(t.Context(), db, finding.Window{}, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	broken := map[string]uint64{}
	for name, rule := range report.Rules {
		if rule.Count > 0 {
			broken[name] = rule.Count
		}
	}
	if diff := cmp.Diff(map[string]uint64{"not_activated": 1, "guessed": 3}, broken); diff != "" || report.Judged != 6 {
		t.Errorf("%d judged; %s", report.Judged, diff)
	}
	if n := report.Rules["guessed"].Names; len(n) != 1 || n[0].How != activation.HowCase || n[0].Meant != "web_search" || n[0].Tokens != 30 {
		t.Errorf("guessed %+v", n)
	}
}

// countEvents counts what is stored of the kinds that names are judged by.
func countEvents(t *testing.T, db *store.DB) uint64 {
	t.Helper()
	var row struct {
		N uint64 `ch:"n"`
	}
	const query = "SELECT (SELECT count() FROM tool_calls) + (SELECT count() FROM activations) + (SELECT count() FROM tool_rosters) AS n"
	if err := db.Each(t.Context(), query, nil, &row, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	return row.N
}
