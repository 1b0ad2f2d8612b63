package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/alerts"
	"github.com/tooltrail/tooltrail/drift"
)

// TestAThirdValidationErrorReachesAWebhookWithinAMinute takes a page through real parts: an analyzer with its breaker and an ingester on a real
// NATS and engine, a Prometheus that scrapes them by the committed rules every 15 seconds, and an Alertmanager with the committed routing, whose
// addresses alone are the test's. The time is a promise and not a measurement of this machine: a minute is what on-call was promised.
func TestAThirdValidationErrorReachesAWebhookWithinAMinute(t *testing.T) {
	prometheus, alertmanager := otherProgram(t, "prometheus"), otherProgram(t, "prometheus-alertmanager")
	s := newSite(t, 1)
	analyzing := s.startAnalyzer()
	js := s.jetStream()
	s.post(definitionOf(drift.Key{Server: "shop", Tool: "order"}, "v2", "quantity"))
	waitFor(t, time.Minute, "the analyzer to know the tool", func() bool { return strings.Contains(metricsOf(t, analyzing), "_registry_tools 1\n") })

	hook := newWebhook(t)
	at, am := freeAddr(t), freeAddr(t)
	startOther(t, alertmanager, am, "--config.file="+routingTo(t, hook.url), "--storage.path="+t.TempDir(), "--web.listen-address="+am, "--cluster.listen-address=")
	startOther(t, prometheus, at, "--config.file="+scrapeConfig(t, am, analyzing.ready, s.ingesters[0].ready), "--storage.tsdb.path="+t.TempDir(), "--web.listen-address="+at)
	waitFor(t, time.Minute, "both to be scraped", func() bool { return healthyTargets(at) == 2 })

	failCall(t, js)
	failCall(t, js)
	third := time.Now()
	failCall(t, js)
	waitFor(t, time.Minute, "the tool to be disabled", func() bool { return readSwitch(t, js).State == drift.SwitchDisabled })
	disabled := time.Since(third)
	var scraped, came time.Duration
	var page alertMessage
	waitFor(t, time.Minute, "the page to come", func() bool {
		if scraped == 0 && firing(at, "ToolDisabled") {
			scraped = time.Since(third)
		}
		page = hook.find("ToolDisabled")
		came = page.at.Sub(third)
		return !page.at.IsZero()
	})
	t.Logf("after the third validation error: disabled in %s, firing in Prometheus in %s, at the webhook in %s",
		disabled.Round(time.Millisecond), scraped.Round(time.Millisecond), came.Round(time.Millisecond))
	if came > time.Minute {
		t.Errorf("the page took %s", came)
	}
	if page.path != "/page" || page.Labels["server"] != "shop" || page.Labels["tool"] != "order" || page.Labels["severity"] != "page" {
		t.Errorf("it came to %s with %v", page.path, page.Labels)
	}
	for note, want := range map[string]string{
		"summary": "shop/order is disabled", "next": "tooltrail tools list", "runbook_url": "ToolDisabled.md", "dashboard_url": "var-tool=order",
	} {
		if !strings.Contains(page.Annotations[note], want) {
			t.Errorf("%s is %q, want %q in it", note, page.Annotations[note], want)
		}
	}
	s.pageOfAHostileName(analyzing, hook)
}

// pageOfAHostileName has calls of a tool fail whose name is a template, of several lines and long, and holds that what is delivered is short text.
func (s *site) pageOfAHostileName(analyzing *process, hook *webhook) {
	const name = "{{ .Labels }}{{ query `up` }}\n<b>$value"
	long := name + strings.Repeat("x", 400)
	s.post(definitionOf(drift.Key{Server: "shop", Tool: long}, "v2", "quantity"))
	waitFor(s.t, time.Minute, "the analyzer to know the tool", func() bool { return strings.Contains(metricsOf(s.t, analyzing), "_registry_tools 2\n") })
	js := s.jetStream()
	for range 3 {
		failCallOf(s.t, js, long)
	}
	var page alertMessage
	waitFor(s.t, 2*time.Minute, "its page to come", func() bool {
		page = hook.findWhere(func(a alertMessage) bool {
			return a.Labels["alertname"] == "ToolDisabled" && a.Labels["tool"] != "order"
		})
		return !page.at.IsZero()
	})
	tool := page.Labels["tool"]
	if !strings.HasPrefix(tool, strings.ReplaceAll(name, "\n", "\ufffd")+"xxx") || len(tool) > 200 {
		s.t.Errorf("the label is %q", tool)
	}
	if want := "shop/" + tool + " is disabled for every agent"; !strings.HasPrefix(page.Annotations["summary"], want) {
		s.t.Errorf("the summary is %q", page.Annotations["summary"])
	}
	for note, text := range page.Annotations {
		if strings.Contains(text, "\n") || len(text) > 1000 {
			s.t.Errorf("%s is %q", note, text)
		}
	}
}

// otherProgram returns the path of a program of another project; the test skips where it is missing, unless tests must have it.
func otherProgram(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil && os.Getenv("TOOLTRAIL_REQUIRE_TOOLS") == "1" {
		t.Fatalf("%s is missing; run make tools", name)
	}
	if err != nil {
		t.Skipf("%s is missing; run make tools", name)
	}
	return path
}

// startOther starts a program of another project and waits until it is ready. It ends with the test.
func startOther(t *testing.T, path, addr string, args ...string) {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if b, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("end of the log of %s:\n%s", path, b[max(0, len(b)-3000):])
		}
	})
	waitFor(t, time.Minute, filepath.Base(path)+" to be ready", func() bool {
		resp, err := http.Get("http://" + addr + "/-/ready")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

// routingTo writes the routing with the webhooks at an address.
func routingTo(t *testing.T, url string) string {
	t.Helper()
	c := alerts.DefaultConfig()
	c.Webhook = map[alerts.Severity]string{alerts.Page: url + "/page", alerts.Ticket: url + "/ticket", alerts.Info: url + "/info"}
	b, err := alerts.Routing(c)
	if err != nil {
		t.Fatal(err)
	}
	return writeConfig(t, "alertmanager.yml", string(b))
}

// scrapeConfig writes a configuration of Prometheus with the committed rules.
func scrapeConfig(t *testing.T, alertmanager, analyzer, ingester string) string {
	t.Helper()
	rules, err := filepath.Abs("../alerts/rendered/rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	return writeConfig(t, "prometheus.yml", fmt.Sprintf(`global: {scrape_interval: 15s, evaluation_interval: 15s}
rule_files: [%q]
alerting: {alertmanagers: [{static_configs: [{targets: [%q]}]}]}
scrape_configs:
  - {job_name: analyzer, static_configs: [{targets: [%q]}]}
  - {job_name: ingest, static_configs: [{targets: [%q]}]}
`, rules, alertmanager, analyzer, ingester))
}

func writeConfig(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// healthyTargets counts what Prometheus scrapes.
func healthyTargets(prometheus string) (n int) {
	var answer struct {
		Data struct{ ActiveTargets []struct{ Health string } }
	}
	if !ask("http://"+prometheus+"/api/v1/targets", &answer) {
		return 0
	}
	for _, target := range answer.Data.ActiveTargets {
		if target.Health == "up" {
			n++
		}
	}
	return n
}

// firing reports whether an alert fires in Prometheus.
func firing(prometheus, name string) bool {
	var answer struct {
		Data struct {
			Alerts []struct {
				State  string
				Labels map[string]string
			}
		}
	}
	if !ask("http://"+prometheus+"/api/v1/alerts", &answer) {
		return false
	}
	for _, a := range answer.Data.Alerts {
		if a.State == "firing" && a.Labels["alertname"] == name {
			return true
		}
	}
	return false
}

func ask(url string, to any) bool {
	resp, err := http.Get(url)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(to) == nil
}

// alertMessage is one alert of what Alertmanager delivers.
type alertMessage struct {
	Status              string
	Labels, Annotations map[string]string

	path string
	at   time.Time
}

// webhook keeps what is delivered to it.
type webhook struct {
	url string
	got chan []alertMessage
	all []alertMessage
}

// webhookRoom is more deliveries than a test has.
const webhookRoom = 1000

func newWebhook(t *testing.T) *webhook {
	h := &webhook{got: make(chan []alertMessage, webhookRoom)}
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var message struct{ Alerts []alertMessage }
		if json.NewDecoder(r.Body).Decode(&message) != nil {
			return
		}
		for i := range message.Alerts {
			message.Alerts[i].path, message.Alerts[i].at = r.URL.Path, time.Now()
		}
		h.got <- message.Alerts
	}))
	t.Cleanup(srv.Close)
	h.url = srv.URL
	return h
}

// find returns the first firing alert of a name that was delivered; one without a time where there is none yet.
func (h *webhook) find(name string) alertMessage {
	return h.findWhere(func(a alertMessage) bool { return a.Labels["alertname"] == name })
}

// findWhere returns the first firing alert that is wanted.
func (h *webhook) findWhere(wanted func(alertMessage) bool) alertMessage {
	for len(h.got) > 0 {
		h.all = append(h.all, <-h.got...)
	}
	for _, a := range h.all {
		if wanted(a) && a.Status == "firing" {
			return a
		}
	}
	return alertMessage{}
}
