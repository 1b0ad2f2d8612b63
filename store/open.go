package store

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// DB is Tooltrail's database. Its methods may be called from several goroutines.
type DB struct {
	cfg  Config
	conn driver.Conn
	// http says that the address speaks HTTP.
	http bool
	ddl  ddl

	// now is the clock; tests set another.
	now func() time.Time

	mu    sync.Mutex
	marks map[string]mark
}

// Open connects to the server that cfg names and asks it one question, so that a wrong address or password shows here. It does not
// need the database to exist; see [DB.Migrate]. Errors are [*Error], or those of [Config.Validate].
func Open(ctx context.Context, cfg Config) (*DB, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if err := onServer(ctx, cfg, func(c driver.Conn) error { return c.Ping(ctx) }); err != nil {
		return nil, wrap("connect to ClickHouse", err)
	}
	o, err := cfg.options(cfg.Database)
	if err != nil {
		return nil, err
	}
	conn, err := clickhouse.Open(o)
	if err != nil {
		return nil, wrap("connect to ClickHouse", err)
	}
	return &DB{
		cfg:   cfg,
		conn:  conn,
		http:  o.Protocol == clickhouse.HTTP,
		ddl:   ddl{Cluster: cfg.Cluster, Database: cfg.Database},
		now:   func() time.Time { return time.Now().UTC() },
		marks: map[string]mark{},
	}, nil
}

// Close closes all connections.
func (db *DB) Close() error { return wrap("close ClickHouse", db.conn.Close()) }

// onServer calls fn with a connection that names no database.
func onServer(_ context.Context, cfg Config, fn func(driver.Conn) error) error {
	o, err := cfg.options("")
	if err != nil {
		return err
	}
	conn, err := clickhouse.Open(o)
	if err != nil {
		return fmt.Errorf("open connection: %w", err)
	}
	defer conn.Close()
	return fn(conn)
}
