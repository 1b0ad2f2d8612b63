package cli

import (
	"strings"

	"github.com/spf13/pflag"
)

// settings are the flags that all commands share; each is read from its environment variable where the flag is not given.
type settings struct {
	// Data is the data directory of `tooltrail up`.
	Data string
	// NATS and ClickHouse are addresses; what an empty one means depends on the command.
	NATS, ClickHouse string
	LogLevel         string
}

// Environment variables of the shared settings.
const (
	envData       = "TOOLTRAIL_DATA"
	envNATS       = "TOOLTRAIL_NATS"
	envClickHouse = "TOOLTRAIL_CLICKHOUSE"
	envLogLevel   = "TOOLTRAIL_LOG_LEVEL"
)

func (s *settings) flags(fs *pflag.FlagSet, getenv func(string) string) {
	fs.StringVar(&s.Data, "data", or(getenv(envData), defaultData(getenv)), "data directory of `tooltrail up` ($"+envData+")")
	fs.StringVar(&s.NATS, "nats", getenv(envNATS), "NATS: nats://... of a server to use, or for up and serve HOST:PORT to listen on ($"+envNATS+")")
	fs.StringVar(&s.ClickHouse, "clickhouse", getenv(envClickHouse), "ClickHouse: URL of a server to use, or for up and serve HOST:PORT to listen on ($"+envClickHouse+")")
	fs.StringVar(&s.LogLevel, "log-level", or(getenv(envLogLevel), "warn"), "debug, info, warn or error ($"+envLogLevel+")")
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// isURL tells the address of a server to use from one to listen on.
func isURL(addr string) bool { return strings.Contains(addr, "://") }
