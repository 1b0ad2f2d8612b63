package deploy_test

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tooltrail/tooltrail/alerts"
	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/dashboards"
	"github.com/tooltrail/tooltrail/metrics"
)

var update = flag.Bool("update", false, "write files that follow from others anew")

// run runs a program of another project and fails with what it said. Where it is missing the test skips, and fails where the tests must have it.
func run(t *testing.T, name string, args ...string) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("TOOLTRAIL_REQUIRE_TOOLS") == "1" {
			t.Fatalf("%s is missing; run make tools", name)
		}
		t.Skipf("%s is missing; run make tools", name)
	}
	if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

func TestPrometheusTakesItsSettings(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "rules.yml"), read(t, "../alerts/rendered/rules.yml"))
	settings := strings.ReplaceAll(read(t, "prometheus/prometheus.yml"), "/etc/prometheus/rules.yml", filepath.Join(dir, "rules.yml"))
	write(t, filepath.Join(dir, "prometheus.yml"), settings)
	run(t, "promtool", "check", "config", filepath.Join(dir, "prometheus.yml"))
}

// TestPrometheusScrapesWhereProgramsListen holds each target against the service that it names.
func TestPrometheusScrapesWhereProgramsListen(t *testing.T) {
	services := project(t).Services
	text := read(t, "prometheus/prometheus.yml")
	for _, m := range regexp.MustCompile(`"([a-z]+):(\d+)"`).FindAllStringSubmatch(text, -1) {
		if m[1] == "localhost" {
			m[1] = "prometheus"
		}
		s, ok := services[m[1]]
		if !ok || !slices.ContainsFunc(s.Command, func(arg string) bool { return strings.HasSuffix(arg, "0.0.0.0:"+m[2]) }) {
			t.Errorf("%s does not listen on port %s", m[1], m[2])
		}
	}
	if !strings.Contains(text, "scrape_interval: 15s") || !slices.Contains(services["prometheus"].Command, "--enable-feature=exemplar-storage") {
		t.Error("rules count on a scrape every 15 seconds, and links to traces on exemplars")
	}
}

var deliverTo = regexp.MustCompile(`url: http://localhost:9094/(\w+)`)

// routing is alerts/rendered/alertmanager.yml with the addresses in secret files.
func routing(t *testing.T) string {
	t.Helper()
	_, rendered, _ := strings.Cut(read(t, "../alerts/rendered/alertmanager.yml"), "\n")
	const head = "# Made from alerts/rendered/alertmanager.yml by go test ./deploy -update; do not edit. Where to deliver to stands in secret files.\n"
	return head + deliverTo.ReplaceAllString(rendered, "url_file: /run/secrets/webhook_$1")
}

func TestAlertmanagerTakesItsSettings(t *testing.T) {
	const file = "alertmanager/alertmanager.yml"
	if *update {
		if err := os.WriteFile(file, []byte(routing(t)), 0o644); err != nil { //nolint:gosec // no secret
			t.Fatal(err)
		}
	}
	got := read(t, file)
	if got != routing(t) {
		t.Errorf("%s does not follow from alerts/rendered; run go test ./deploy -update", file)
	}
	// url_file came with Alertmanager 0.26; an older amtool checks the rest.
	plain := regexp.MustCompile(`url_file: /run/secrets/webhook_(\w+)`).ReplaceAllString(got, "url: http://localhost:9094/$1")
	checked := filepath.Join(t.TempDir(), "alertmanager.yml")
	write(t, checked, plain)
	run(t, "amtool", "check-config", checked)
}

func TestXMLIsWellFormed(t *testing.T) {
	for _, file := range []string{"clickhouse/users.xml", "clickhouse/config.xml", filepath.Join(secretsIn(t), "clickhouse_passwords.xml")} {
		for dec := xml.NewDecoder(strings.NewReader(read(t, file))); ; {
			if _, err := dec.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%s: %v", file, err)
				break
			}
		}
	}
}

// notListed are settings of ClickHouse's server that it does not list in system.server_settings.
var notListed = regexp.MustCompile(`^(listen_host|(http|https|tcp|mysql|postgresql)_port|openSSL\..*|timezone|backups\.allowed_path|query_log\.ttl)$`)

func TestSettingsOfClickHouseExist(t *testing.T) {
	ch := startClickHouse(t)
	exists := strings.Fields(ch.must("SELECT name FROM system.server_settings"))
	var path []string
	removed := regexp.MustCompile(`^[a-z_]+_(port|log)$`)
	for dec := xml.NewDecoder(strings.NewReader(read(t, "clickhouse/config.xml"))); ; {
		token, err := dec.Token()
		if err != nil {
			break // well-formed, as another test holds
		}
		switch e := token.(type) {
		case xml.StartElement:
			path = append(path, e.Name.Local)
			if len(e.Attr) > 0 && !removed.MatchString(e.Name.Local) {
				t.Errorf("%s is removed, and is neither a port nor a log", e.Name.Local)
			}
		case xml.CharData:
			if name := strings.Join(path[min(1, len(path)):], "."); strings.TrimSpace(string(e)) != "" && !slices.Contains(exists, name) && !notListed.MatchString(name) {
				t.Errorf("ClickHouse has no setting %s", name)
			}
		case xml.EndElement:
			path = path[:len(path)-1]
		}
	}
}

func TestProgramsTakeTheirSettings(t *testing.T) {
	m := metrics.NewAnalyzer(prometheus.NewRegistry())
	keep := func(*analyzer.Config) error { return nil }
	if _, err := analyzer.OpenSettings("settings/settings.yaml", analyzer.DefaultConfig(), keep, m, slog.New(slog.DiscardHandler)); err != nil {
		t.Error(err)
	}
}

// source is a data source in a provisioning file of Grafana.
type source struct {
	Name           string            `yaml:"name"`
	UID            string            `yaml:"uid"`
	Type           string            `yaml:"type"`
	Access         string            `yaml:"access"`
	URL            string            `yaml:"url"`
	IsDefault      bool              `yaml:"isDefault"`
	Editable       bool              `yaml:"editable"`
	JSONData       map[string]any    `yaml:"jsonData"`
	SecureJSONData map[string]string `yaml:"secureJsonData"`
}

// provider is a folder of dashboards in one.
type provider struct {
	Name            string            `yaml:"name"`
	OrgID           int               `yaml:"orgId"`
	Folder          string            `yaml:"folder"`
	Type            string            `yaml:"type"`
	DisableDeletion bool              `yaml:"disableDeletion"`
	AllowUIUpdates  bool              `yaml:"allowUiUpdates"`
	UpdateSeconds   int               `yaml:"updateIntervalSeconds"`
	Options         map[string]string `yaml:"options"`
}

// provisioning reads one of Grafana's files strictly.
func provisioning(t *testing.T, file string) (sources []source, providers []provider) {
	t.Helper()
	var f struct {
		APIVersion  int        `yaml:"apiVersion"`
		Datasources []source   `yaml:"datasources"`
		Providers   []provider `yaml:"providers"`
	}
	if err := yaml.UnmarshalWithOptions([]byte(read(t, file)), &f, yaml.Strict()); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if f.APIVersion != 1 {
		t.Errorf("%s: apiVersion %d, want 1", file, f.APIVersion)
	}
	return f.Datasources, f.Providers
}

func TestGrafanaIsProvisionedWithWhatDashboardsAndAlertsName(t *testing.T) {
	sources, _ := provisioning(t, "grafana/provisioning/datasources/clickhouse.yml")
	if len(sources) != 1 {
		t.Fatalf("%d data sources, want 1", len(sources))
	}
	s := sources[0]
	if s.UID != alerts.DefaultConfig().ClickHouse || s.Type != dashboards.SourceType || s.JSONData["username"] != "tooltrail_reader" || s.JSONData["defaultDatabase"] != "tooltrail" {
		t.Errorf("data source %+v: want the uid of the alerts, the type of the dashboards, a user who only reads", s)
	}
	if s.JSONData["secure"] != true || s.JSONData["tlsSkipVerify"] != false || s.JSONData["tlsAuthWithCACert"] != true {
		t.Error("the data source does not check whom it speaks to")
	}
	for name, value := range s.SecureJSONData {
		if !strings.HasPrefix(value, "$__file{/run/secrets/") {
			t.Errorf("%s is no file", name)
		}
	}
	if more, _ := provisioning(t, "grafana/provisioning/datasources/prometheus.yml"); len(more) != 1 || more[0].URL != "http://prometheus:9090" {
		t.Errorf("data sources %+v, want Prometheus", more)
	}
	_, providers := provisioning(t, "grafana/provisioning/dashboards/tooltrail.yml")
	grafana := project(t).Services["grafana"]
	mounted := func(target string) (source string) {
		for _, v := range grafana.Volumes {
			if v.Target == target {
				return v.Source
			}
		}
		return ""
	}
	if len(providers) != 1 || !strings.HasSuffix(mounted(providers[0].Options["path"]), "dashboards/rendered") {
		t.Errorf("dashboards are provided from %+v, where dashboards/rendered is not mounted", providers)
	}
	home := *grafana.Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
	if _, err := os.Stat(filepath.Join(mounted(filepath.Dir(home)), filepath.Base(home))); err != nil {
		t.Errorf("home dashboard: %v", err)
	}
}
