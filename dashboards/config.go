package dashboards

import (
	"errors"
	"strings"
)

// SourceType is the plugin of the data source.
const SourceType = "grafana-clickhouse-datasource"

// Config is what dashboards can be made with.
type Config struct {
	// Source is the name of the data source that a dashboard opens with, where Grafana has one of that name.
	Source string
	// Runbooks is the address under which the runbook NAME.md is found, without a slash at its end. Each dashboard has it as a hidden constant
	// variable, so that it can be set in Grafana too.
	Runbooks string
	// From is how far back dashboards open, in Grafana's words; Refresh is how often they ask again.
	From, Refresh string
}

// DefaultConfig is what the rendered dashboards are made with.
func DefaultConfig() Config {
	return Config{
		Source: "ClickHouse", Runbooks: "https://github.com/tooltrail/tooltrail/blob/main/docs/alerts", From: "now-24h", Refresh: "1m",
	}
}

// Validate says what is wrong with the settings.
func (c Config) Validate() error {
	var errs []error
	if c.Source == "" {
		errs = append(errs, errors.New("source is empty"))
	}
	if !strings.HasPrefix(c.Runbooks, "http") || strings.HasSuffix(c.Runbooks, "/") {
		errs = append(errs, errors.New("runbooks is no address, or ends in a slash"))
	}
	if !strings.HasPrefix(c.From, "now-") {
		errs = append(errs, errors.New("from does not begin with now-"))
	}
	return errors.Join(errs...)
}

// UID names a view's dashboard in Grafana.
func UID(view string) string { return "tooltrail-" + view }
