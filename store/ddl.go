package store

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"text/template"
)

//go:embed migrations/*.sql migrations/*.tmpl
var migrationFiles embed.FS

// migration is one statement that brings the schema forward.
type migration struct {
	// name is its file's name without .sql; migrations run in the order of their names.
	name string
	sql  string
}

// ddl is what the migrations' templates are made for: one server, or a cluster.
type ddl struct {
	Cluster, Database string
}

// localSuffix ends the names of the tables behind Distributed ones.
const localSuffix = "_local"

// Local returns the name of the table that holds rows: the table itself, or what is behind it in a cluster.
func (d ddl) Local(table string) string {
	if d.Cluster == "" {
		return table
	}
	return table + localSuffix
}

// OnCluster returns the clause that makes a statement run on all of the cluster's servers, with a leading blank.
func (d ddl) OnCluster() string {
	if d.Cluster == "" {
		return ""
	}
	return " ON CLUSTER `" + d.Cluster + "`"
}

// Table returns what CREATE TABLE and ALTER TABLE call a table.
func (d ddl) Table(table string) string { return d.Local(table) + d.OnCluster() }

// MergeTree returns the engine of a table of events.
func (d ddl) MergeTree(table string) string {
	if d.Cluster == "" {
		return "MergeTree"
	}
	return fmt.Sprintf("ReplicatedMergeTree(%s)", d.replica(table))
}

// ReplacingMergeTree returns the engine of a table of which the row with the highest version counts.
func (d ddl) ReplacingMergeTree(table, version string) string {
	if d.Cluster == "" {
		return fmt.Sprintf("ReplacingMergeTree(%s)", version)
	}
	return fmt.Sprintf("ReplicatedReplacingMergeTree(%s, %s)", d.replica(table), version)
}

// replica returns the path in Keeper and the replica's name, which the servers' macros fill in.
func (d ddl) replica(table string) string {
	return fmt.Sprintf("'/clickhouse/tables/{shard}/%s/%s', '{replica}'", d.Database, d.Local(table))
}

// Settings returns the settings of a table of events: how many tokens are remembered, and that retention drops whole parts.
func (d ddl) Settings() string {
	window := "non_replicated_deduplication_window"
	if d.Cluster != "" {
		window = "replicated_deduplication_window"
	}
	s := fmt.Sprintf("%s = %d, ttl_only_drop_parts = 1", window, dedupWindow)
	if d.Cluster != "" {
		s += fmt.Sprintf(", replicated_deduplication_window_seconds = %d", dedupSeconds)
	}
	return s
}

const (
	// dedupWindow is how many tokens a table remembers.
	dedupWindow = 10_000
	// dedupSeconds is for how long a replicated table remembers them: four weeks.
	dedupSeconds = 28 * 24 * 3600
)

// Distributed returns the statement that makes a table over its parts on all shards, and nothing on one server. All rows of one
// value of key are on one shard.
func (d ddl) Distributed(table, key string) string {
	if d.Cluster == "" {
		return ""
	}
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s%s AS %s\nENGINE = Distributed(`%s`, %s, %s, cityHash64(%s))",
		table, d.OnCluster(), d.Local(table), d.Cluster, d.Database, d.Local(table), key)
}

// migrations returns the statements for d in order, without those that have nothing to do.
func (d ddl) migrations() ([]migration, error) {
	files, err := template.ParseFS(migrationFiles, "migrations/*")
	if err != nil {
		return nil, fmt.Errorf("parse migrations: %w", err)
	}
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	var out []migration
	for _, path := range names {
		name := strings.TrimPrefix(path, "migrations/")
		var b bytes.Buffer
		if err := files.ExecuteTemplate(&b, name, d); err != nil {
			return nil, fmt.Errorf("render migration: %w", err)
		}
		if sql := strings.TrimSpace(b.String()); sql != "" {
			out = append(out, migration{strings.TrimSuffix(name, ".sql"), sql})
		}
	}
	return out, nil
}
