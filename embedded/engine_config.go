package embedded

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// EngineConfig says how the ClickHouse engine in this process runs.
type EngineConfig struct {
	// Dir is the folder of the engine's data; required.
	Dir string
	// Library is the path of libchdb.so; empty to let FindLibrary look.
	Library string
	// Listen is the address of the HTTP interface, host:port; port 0 picks a
	// free one. A host that is not loopback needs Password.
	Listen string
	// User and Password are what clients must give. With an empty Password
	// only loopback is served, and requests that a browser made for a web page are refused.
	User, Password string
	// MaxMemory caps the engine's memory in bytes; queries over it fail. At
	// least 512 MiB.
	MaxMemory int64
	// MaxQueryMemory caps one query's memory in bytes; groups and sorts go to
	// disk before they reach it, other queries over it fail.
	MaxQueryMemory int64
	// CacheBytes is the size of the mark cache in bytes; the other caches get
	// a half of it each at most.
	CacheBytes int64
	// MaxConcurrent bounds the statements that run at the same time; more wait their turn.
	MaxConcurrent int
	// MaxQueryBytes bounds a statement's text in bytes, an insert's data not counted.
	MaxQueryBytes int64
	// SyncInserts forces inserted parts to disk before an insert is answered,
	// so that they outlive a power cut; small inserts get several times slower.
	SyncInserts bool
	// ClientIdle bounds the wait for a client's next bytes of an insert, and for
	// it to take the next 256 KiB of a result; one that waits longer is cut off.
	ClientIdle time.Duration
	// CloseGrace is how long ServeEngine lets running statements go on when it is to stop.
	CloseGrace time.Duration
	// Settings are ClickHouse settings of every statement; a statement's own win.
	Settings map[string]string
	// UsersFile is a users.xml of ClickHouse, empty for the engine's own: it says which users there are and what they may. Clients still are
	// User and act as the engine's own user, default, which the file must have.
	UsersFile string
	// Logger gets what goes wrong; nil for none.
	Logger *slog.Logger
}

// DefaultEngineConfig returns the settings for one machine, keeping the data in dir.
func DefaultEngineConfig(dir string) EngineConfig {
	return EngineConfig{
		Dir:            dir,
		Listen:         "127.0.0.1:8123",
		User:           "default",
		MaxMemory:      2 << 30,
		MaxQueryMemory: 1 << 30,
		CacheBytes:     64 << 20,
		MaxConcurrent:  32,
		MaxQueryBytes:  16 << 20,
		ClientIdle:     5 * time.Minute,
		CloseGrace:     10 * time.Second,
	}
}

// Validate says what is wrong with the settings.
func (c EngineConfig) Validate() error {
	switch {
	case c.Dir == "":
		return errors.New("engine: no data folder given")
	case c.MaxMemory < 512<<20:
		return errors.New("engine: MaxMemory must be at least 512 MiB")
	case c.MaxQueryMemory < 128<<20 || c.MaxQueryMemory > c.MaxMemory:
		return errors.New("engine: MaxQueryMemory must be between 128 MiB and MaxMemory")
	case c.CacheBytes < 1<<20:
		return errors.New("engine: CacheBytes must be at least 1 MiB")
	case c.MaxConcurrent < 1:
		return errors.New("engine: MaxConcurrent must be at least 1")
	case c.MaxQueryBytes < 1<<10 || c.ClientIdle <= 0:
		return errors.New("engine: MaxQueryBytes must be at least 1 KiB and ClientIdle positive")
	}
	return checkListen("engine", c.Listen, c.Password)
}

// serverOptions are the options of the connection that boots the engine.
func (c EngineConfig) serverOptions() []setting {
	num := func(n int64) string { return fmt.Sprint(n) }
	options := []setting{
		{"path", c.Dir},
		{"config-file", filepath.Join(c.Dir, configName)},
		{"logger.console", "0"}, // it would log to a terminal on stderr
		{"max_server_memory_usage", num(c.MaxMemory)},
		{"mark_cache_size", num(c.CacheBytes)},
	}
	for _, name := range []string{
		"primary_index_cache_size", "index_mark_cache_size", "vector_similarity_index_cache_size",
		"text_index_tokens_cache_size", "text_index_header_cache_size", "text_index_postings_cache_size",
		"parquet_metadata_cache_size", "iceberg_metadata_files_cache_size",
		"compiled_expression_cache_size", "query_condition_cache_size",
	} {
		options = append(options, setting{name, num(c.CacheBytes / 2)})
	}
	if c.UsersFile != "" {
		options = append(options, setting{"users_config", c.UsersFile})
	}
	return append(options, c.sessionSettings()...)
}

// threadsOfQuery is among how many threads the engine may divide a query's memory. Its own default gives each thread a gibibyte, so that a
// query with a gibibyte would have one thread.
const threadsOfQuery = 16

// sessionSettings are the settings of every statement. The engine's own
// default would collect inserts and answer later (async_insert), and take any
// expression for a query (implicit_select).
func (c EngineConfig) sessionSettings() []setting {
	settings := []setting{
		{"async_insert", "0"},
		{"implicit_select", "0"},
		{"max_query_size", fmt.Sprint(c.MaxQueryBytes)},
		{"max_memory_usage", fmt.Sprint(c.MaxQueryMemory)},
		{"max_threads_min_free_memory_per_thread", fmt.Sprint(c.MaxQueryMemory / threadsOfQuery)},
	}
	for name, value := range c.Settings {
		settings = append(settings, setting{name, value})
	}
	return settings
}

const configName = "engine.xml"

// writeConfig writes the engine's own configuration file. Without one it would
// read any config.xml that happens to lie in the working directory.
func (c EngineConfig) writeConfig() error {
	sync := 0
	if c.SyncInserts {
		sync = 1
	}
	text := fmt.Sprintf(`<clickhouse>
    <merge_tree>
        <fsync_after_insert>%d</fsync_after_insert>
        <fsync_part_directory>%d</fsync_part_directory>
    </merge_tree>
</clickhouse>
`, sync, sync)
	if err := os.WriteFile(filepath.Join(c.Dir, configName), []byte(text), 0o600); err != nil {
		return fmt.Errorf("write engine configuration: %w", err)
	}
	return nil
}
