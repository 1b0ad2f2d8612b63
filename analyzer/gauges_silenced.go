package analyzer

import (
	"context"
	_ "embed" // for the query
	"log/slog"

	"github.com/tooltrail/tooltrail/metrics"
)

//go:embed silenced_findings.sql
var silencedSQL string

// setSilenced shows the findings that nobody wants to be told of: alerts on the same fact stay silent.
func (a *Analyzer) setSilenced(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	var silenced rows
	var row struct {
		Rule   string `ch:"rule"`
		Server string `ch:"server"`
		Tool   string `ch:"tool"`
		Model  string `ch:"model"`
		Agent  string `ch:"agent"`
		State  string `ch:"state"`
	}
	err := a.q.Each(ctx, silencedSQL, nil, &row, func() error {
		server, tool := row.Server, row.Tool
		if tool != "" {
			if server, tool = a.tool(server, tool); tool == metrics.Other {
				return nil // what is said of all tools that nobody registered is not silenced by one of them
			}
		}
		silenced.add(1, row.Rule, server, tool, row.Model, row.Agent, row.State)
		return nil
	})
	if err != nil {
		a.log.Warn("read which findings are muted or resolved", slog.Any("error", err))
		return
	}
	a.setEach(a.metrics.Window.FindingSilenced, silenced)
}
