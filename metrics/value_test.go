package metrics

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// hostile are names that a tool, an agent or a model may have.
var hostile = []string{
	"", "order", "{{ .Labels }}", "{{ printf `%s` (query `up`) }}", `"} 1`, `back\slash`, "two\nlines", "\x00", "\xff\xfe", "\x1b[31mred", "\u202egnp.exe", "$name ${name}",
	strings.Repeat("x", 1<<20), strings.Repeat("x", 1<<20) + "y", strings.Repeat("é", maxValue), "a" + strings.Repeat("é", maxValue), strings.Repeat("\xff", 1<<20),
}

func TestLabelsAreShortLinesOfTextThatTellNamesApart(t *testing.T) {
	seen := map[string]string{}
	for _, name := range hostile {
		v := labelValue(name)
		if !utf8.ValidString(v) || len(v) > 4*maxValue || strings.ContainsFunc(v, func(c rune) bool { return c != utf8.RuneError && isHidden(c) }) {
			t.Errorf("%.40q is %q", name, v)
		}
		if was, ok := seen[v]; ok {
			t.Errorf("%.40q and %.40q are both %q", was, name, v)
		}
		seen[v] = name
	}
	for _, name := range []string{"", "order", "{{ .Labels }}", "wetter_für_morgen", "web search"} {
		if v := labelValue(name); v != name {
			t.Errorf("%q is %q", name, v)
		}
	}
}

// TestHostileNamesLeaveThePageOfMetricsReadable gives every metric with names from outside hostile ones.
func TestHostileNamesLeaveThePageOfMetricsReadable(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	g, a := NewIngest(reg), NewAnalyzer(reg)
	var drifted, silenced []Row
	for _, name := range hostile {
		g.Traffic.ToolCalls.Add(1, name, name, name, name, "ok")
		g.Traffic.ClientDropped.Add(1, "", name, name)
		drifted = append(drifted, Row{[]string{name, name, name, WindowAnalyzed}, 0.5})
		silenced = append(silenced, Row{[]string{"loop", name, name, name, name, name}, 1})
	}
	a.Window.DriftRatio.Set(a.Limits, false, drifted)
	a.Window.FindingSilenced.Set(a.Limits, false, silenced)
	w := httptest.NewRecorder()
	promhttp.HandlerFor(reg, promhttp.HandlerOpts{EnableOpenMetrics: true}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK || w.Body.Len() > 1<<20 {
		t.Fatalf("%d, of %d bytes", w.Code, w.Body.Len())
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []Def{TrafficToolCalls, TrafficClientDropped, DriftRatio, FindingSilenced} {
		if n := len(families[d.Name()].GetMetric()); n != len(hostile) {
			t.Errorf("%s has %d series, want %d", d.Name(), n, len(hostile))
		}
	}
}
