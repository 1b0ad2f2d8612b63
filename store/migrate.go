package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Migrate makes the database and brings its tables forward: it runs each migration that is not yet recorded and records it once
// it has succeeded. Migrations can run twice without harm, so that several processes may call Migrate at one time. It
// also applies [Config.RetentionDays]. Where there is nothing to do, it needs no right to change anything.
func (db *DB) Migrate(ctx context.Context) error {
	if todo, err := db.pending(ctx); err == nil && len(todo) == 0 {
		return db.retain(ctx)
	}
	if err := onServer(ctx, db.cfg, func(c driver.Conn) error { return c.Exec(ctx, db.ddl.createDatabase()) }); err != nil {
		return wrap("create database", err)
	}
	if err := db.conn.Exec(ctx, db.ddl.migrationsTable()); err != nil {
		return wrap("create schema_migrations", err)
	}
	todo, err := db.pending(ctx)
	if err != nil {
		return err
	}
	for _, m := range todo {
		if err := db.apply(ctx, m); err != nil {
			return err
		}
	}
	return db.retain(ctx)
}

// createDatabase returns the statement that makes the database.
func (d ddl) createDatabase() string {
	return fmt.Sprintf("CREATE DATABASE IF NOT EXISTS `%s`%s", d.Database, d.OnCluster())
}

// migrationsTable returns the statement for the table of what was run; in a cluster it is one table on all shards.
func (d ddl) migrationsTable() string {
	engine := "MergeTree"
	if d.Cluster != "" {
		engine = fmt.Sprintf("ReplicatedMergeTree('/clickhouse/tables/%s/schema_migrations', '{shard}-{replica}')", d.Database)
	}
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS schema_migrations%s (name String, applied_at DateTime64(3, 'UTC'))\nENGINE = %s ORDER BY name",
		d.OnCluster(), engine)
}

// pending returns the migrations that are not recorded.
func (db *DB) pending(ctx context.Context) ([]migration, error) {
	all, err := db.ddl.migrations()
	if err != nil {
		return nil, err
	}
	done := map[string]bool{}
	var row struct {
		Name string `ch:"name"`
	}
	err = db.Each(ctx, "SELECT DISTINCT name FROM schema_migrations", nil, &row, func() error {
		done[row.Name] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read schema_migrations: %w", err)
	}
	var todo []migration
	for _, m := range all {
		if !done[m.name] {
			todo = append(todo, m)
		}
	}
	return todo, nil
}

// apply runs m and records it.
func (db *DB) apply(ctx context.Context, m migration) error {
	if err := db.conn.Exec(ctx, m.sql); err != nil {
		return wrap("run migration "+m.name, err)
	}
	err := db.conn.Exec(ctx, "INSERT INTO schema_migrations (name, applied_at) SELECT ?, now64(3)", m.name)
	return wrap("record migration "+m.name, err)
}

// retain makes the tables' retention the configured one where it is another.
func (db *DB) retain(ctx context.Context) error {
	for _, table := range retained() {
		now, err := db.retention(ctx, table)
		if err != nil {
			return err
		}
		if sql := db.ddl.retain(table, now, db.cfg.RetentionDays); sql != "" {
			if err := db.conn.Exec(ctx, sql); err != nil {
				return wrap("set retention of "+table, err)
			}
		}
	}
	return nil
}

// retention returns the part of a table's definition that says for how long rows are kept, "" for ever.
func (db *DB) retention(ctx context.Context, table string) (string, error) {
	var row struct {
		Engine string `ch:"engine_full"`
	}
	q := "SELECT engine_full FROM system.tables WHERE database = ? AND name = ?"
	err := db.Each(ctx, q, []any{db.cfg.Database, db.ddl.Local(table)}, &row, func() error { return nil })
	if err != nil {
		return "", fmt.Errorf("read retention of %s: %w", table, err)
	}
	_, ttl, _ := strings.Cut(row.Engine, " TTL ")
	ttl, _, _ = strings.Cut(ttl, " SETTINGS ")
	return ttl, nil
}

// retain returns the statement that turns the retention now into days, and nothing when it is so already.
func (d ddl) retain(table, now string, days int) string {
	want := fmt.Sprintf("toDateTime(ingested_at) + toIntervalDay(%d)", days)
	switch {
	case days == 0 && now == "", days > 0 && now == want:
		return ""
	case days == 0:
		return fmt.Sprintf("ALTER TABLE %s REMOVE TTL", d.Table(table))
	}
	return fmt.Sprintf("ALTER TABLE %s MODIFY TTL %s", d.Table(table), want)
}
