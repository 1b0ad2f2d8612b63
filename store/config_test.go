package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/store"
)

func TestDefaultSettingsAreValid(t *testing.T) {
	if err := store.DefaultConfig().Validate(); err != nil {
		t.Fatal(err)
	}
}

func TestTheEnvironmentSaysWhereClickHouseIsAndWhoToBe(t *testing.T) {
	have := store.DefaultConfig()
	have.FromEnvironment(func(string) string { return "" })
	if have != store.DefaultConfig() {
		t.Errorf("an empty environment gives %+v", have)
	}
	have.FromEnvironment(func(name string) string { return name })
	want := store.DefaultConfig()
	want.Address, want.Database, want.Cluster = "TOOLTRAIL_CLICKHOUSE", "TOOLTRAIL_CLICKHOUSE_DATABASE", "TOOLTRAIL_CLICKHOUSE_CLUSTER"
	want.Username, want.Password = "TOOLTRAIL_CLICKHOUSE_USER", "TOOLTRAIL_CLICKHOUSE_PASSWORD"
	if have != want {
		t.Errorf("%+v, want %+v", have, want)
	}
}

func TestEverySettingThatCannotWorkIsReported(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*store.Config)
		want   string
	}{
		"no address":          {func(c *store.Config) { c.Address = "" }, "address"},
		"no host":             {func(c *store.Config) { c.Address = "http:///x" }, "address"},
		"quote in database":   {func(c *store.Config) { c.Database = "a`b" }, "database"},
		"quote in cluster":    {func(c *store.Config) { c.Cluster = "a'b" }, "cluster"},
		"negative retention":  {func(c *store.Config) { c.RetentionDays = -1 }, "retention"},
		"no connections":      {func(c *store.Config) { c.MaxOpenConns = 0 }, "connections"},
		"more idle than open": {func(c *store.Config) { c.MaxIdleConns = 99 }, "connections"},
		"no timeout":          {func(c *store.Config) { c.ReadTimeout = -time.Second }, "timeouts"},
		"unknown compression": {func(c *store.Config) { c.Compression = "rar" }, "compression"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := store.DefaultConfig()
			c.change(&cfg)
			err := cfg.Validate()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that names %s", err, c.want)
			}
		})
	}
}

func ExampleConfig() {
	cfg := store.DefaultConfig()
	cfg.Address = "clickhouse://db1:9000,db2:9000?secure=true"
	cfg.Cluster = "main"
	cfg.RetentionDays = 30
	fmt.Println(cfg.Validate())
	// Output: <nil>
}

func TestAPasswordAloneIsThatOfTheUserDefault(t *testing.T) {
	c := store.DefaultConfig()
	c.FromEnvironment(func(name string) string { return map[string]string{"TOOLTRAIL_CLICKHOUSE_PASSWORD": "p"}[name] })
	if c.Username != "default" || c.Password != "p" {
		t.Errorf("user %q, password %q", c.Username, c.Password)
	}
}
