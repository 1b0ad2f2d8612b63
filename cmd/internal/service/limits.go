package service

import (
	"flag"

	"github.com/tooltrail/tooltrail/metrics"
)

// LimitFlags adds the flags for how many names from outside metrics have as labels; the rest is "other".
func LimitFlags(fs *flag.FlagSet, l *metrics.Limits) {
	fs.IntVar(&l.Tools, "label-tools", l.Tools, "how many registered `tools` a metric names")
	fs.IntVar(&l.Models, "label-models", l.Models, "how many `models` a metric names")
	fs.IntVar(&l.Agents, "label-agents", l.Agents, "how many `agents` a metric names")
	fs.IntVar(&l.Series, "label-series", l.Series, "how many `series` with such names a metric has")
}
