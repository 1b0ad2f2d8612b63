package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
)

// natsLogger hands the server's lines to slog and remembers the last fatal
// one, which is the only place where the server says why it did not start.
type natsLogger struct {
	log   *slog.Logger
	mu    sync.Mutex
	fatal string
}

func (l *natsLogger) reason() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fatal == "" {
		return ""
	}
	return ": " + l.fatal
}

func (l *natsLogger) write(level slog.Level, format string, args []any) {
	if l.log != nil {
		l.log.Log(context.Background(), level, "nats server", slog.String("text", fmt.Sprintf(format, args...)))
	}
}

// Noticef is part of the server's logger interface.
func (l *natsLogger) Noticef(format string, args ...any) { l.write(slog.LevelDebug, format, args) }

// Warnf is part of the server's logger interface.
func (l *natsLogger) Warnf(format string, args ...any) { l.write(slog.LevelWarn, format, args) }

// Errorf is part of the server's logger interface.
func (l *natsLogger) Errorf(format string, args ...any) { l.write(slog.LevelError, format, args) }

// Debugf is part of the server's logger interface.
func (l *natsLogger) Debugf(string, ...any) {}

// Tracef is part of the server's logger interface.
func (l *natsLogger) Tracef(string, ...any) {}

// Fatalf is part of the server's logger interface; the process lives on.
func (l *natsLogger) Fatalf(format string, args ...any) {
	l.mu.Lock()
	l.fatal = fmt.Sprintf(format, args...)
	l.mu.Unlock()
	l.write(slog.LevelError, format, args)
}
