package main

import (
	"bytes"
	"errors"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/analyzer"
)

func noEnv(string) string { return "" }

func TestSettingsComeFromFlagsAndEnvironmentAndFlagsWin(t *testing.T) {
	env := map[string]string{
		"TOOLTRAIL_NATS": "nats://env:4222", "TOOLTRAIL_CLICKHOUSE": "http://env:8123", "TOOLTRAIL_CLICKHOUSE_USER": "ada",
		"TOOLTRAIL_CLICKHOUSE_PASSWORD": "secret", "TOOLTRAIL_ANALYZER_LISTEN": "127.0.0.1:1",
	}
	s, err := readSettings([]string{"-nats", "nats://flag:4222", "-window", "2h", "-drift-warn", "0.1"}, func(k string) string { return env[k] }, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if s.stream.URL != "nats://flag:4222" || s.store.Address != "http://env:8123" || s.store.Username != "ada" || s.store.Password != "secret" {
		t.Errorf("servers: %q %q %q", s.stream.URL, s.store.Address, s.store.Username)
	}
	if s.listen != "127.0.0.1:1" || s.analyzer.Window != 2*time.Hour || s.analyzer.Drift.WarnRatio != 0.1 {
		t.Errorf("have %q %s %v", s.listen, s.analyzer.Window, s.analyzer.Drift.WarnRatio)
	}
}

func TestWrongSettingsAreRefused(t *testing.T) {
	for _, args := range [][]string{
		{"extra"}, {"-nonsense"}, {"-interval", "1ms"}, {"-window", "-1h"}, {"-log-level", "loud"}, {"-prices", "missing.json"},
		{"-drift-warn", "0.9"}, {"-prefix-min-read", "2"},
		{"-breaker-errors", "0"}, {"-breaker-conversations", "101"}, {"-breaker-cool-down", "-1s"}, {"-breaker-since", "0s"},
	} {
		if _, err := readSettings(args, noEnv, &bytes.Buffer{}); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}

func TestHelpShowsTheWholeSurface(t *testing.T) {
	var out bytes.Buffer
	if _, err := readSettings([]string{"-h"}, noEnv, &out); !errors.Is(err, flag.ErrHelp) {
		t.Fatal(err)
	}
	for _, want := range []string{"-interval", "-window", "-prices", "-settings", "TOOLTRAIL_SETTINGS", "TOOLTRAIL_NATS_USER", "TOOLTRAIL_CLICKHOUSE_USER"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("help does not tell of %s", want)
		}
	}
}

func TestFlagsThatWereGivenWinOverTheFile(t *testing.T) {
	s, err := readSettings([]string{"-settings", "s.yaml", "-drift-warn", "0.1", "-breaker-errors", "5", "-window", "2h"}, noEnv, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	file := analyzer.DefaultConfig()
	file.Drift.WarnRatio, file.Drift.MinCalls, file.Breaker.Errors, file.Breaker.DryRun = 0.07, 7, 7, true
	if err := s.override(&file); err != nil {
		t.Fatal(err)
	}
	if s.file != "s.yaml" || file.Drift.WarnRatio != 0.1 || file.Drift.MinCalls != 7 || file.Breaker.Errors != 5 || !file.Breaker.DryRun {
		t.Errorf("have %q, %+v, %+v", s.file, file.Drift, file.Breaker)
	}
}
