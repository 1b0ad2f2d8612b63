package ingest

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/tooltrail/tooltrail/stream"
)

// Config has the settings of an [Ingester].
type Config struct {
	// Stream and DeadLetterStream name the JetStream streams.
	Stream           string
	DeadLetterStream string
	// Partitions are the partitions that this ingester reads, each with all six kinds.
	Partitions []int

	// MaxRows, MaxBytes and MaxAge end a batch: events in it, bytes of the messages they came in, and time since its first
	// message came. A batch holds whole messages and may be over a limit by one message.
	MaxRows  int
	MaxBytes int
	MaxAge   time.Duration

	// Memory is about how many bytes batches may take over all lanes, whatever the backlog. One byte of a message counts as
	// four. Each lane's consumer buffers up to one and a half times PullBytes beside it.
	Memory int64
	// PullBytes is how much a lane asks of the server at a time. The largest message fits always.
	PullBytes int
	// MaxInserts is how many inserts may run at once over all lanes; a lane has one at most.
	MaxInserts int
	// RecentIDs is how many ids of a lane's newest events are kept, 40 bytes each, to leave out events published twice.
	RecentIDs int

	// MaxRefused is how many rows of a lane in a row may go to the dead letters because the store refuses them. After that many
	// without one stored in between the store is taken to be at fault (a migration is missing), and the lane waits.
	MaxRefused int

	// MaxLetters is how many refused lines of one message become dead letters of their own; all further ones share one, so that a
	// message of half a million broken lines is no flood.
	MaxLetters int

	// InsertTimeout ends one try of an insert, and one look at the position.
	InsertTimeout time.Duration
	// RetryMin and RetryMax are the first and the longest wait between tries. Tries never end.
	RetryMin, RetryMax time.Duration
	// PositionMaxAge is how old a look at the position may be when an insert begins; then it is read again. It must be far
	// less than the time in which the store forgets deduplication tokens.
	PositionMaxAge time.Duration
	// Heartbeat is how often the server must say that a consumer lives; it is given up after two that did not come.
	Heartbeat time.Duration
	// PollInterval is how often lag, gaps and stalled consumers are looked for.
	PollInterval time.Duration
	// Grace is how long Run goes on storing what it fetched after it was told to stop.
	Grace time.Duration
	// LeaseTTL, when positive, makes ingesters on the same partitions share the lanes, and is how long a dead one's lanes wait.
	// All of them need the same value. It saves work and is not needed for safety.
	LeaseTTL time.Duration
}

// DefaultConfig returns the settings for one ingester on partition 0.
func DefaultConfig() Config {
	return Config{
		Stream:           stream.Name,
		DeadLetterStream: stream.DeadLetters,
		Partitions:       []int{0},
		MaxRows:          20_000,
		MaxBytes:         16 << 20,
		MaxAge:           time.Second,
		Memory:           128 << 20,
		PullBytes:        2 << 20,
		MaxInserts:       max(2, runtime.GOMAXPROCS(0)),
		RecentIDs:        262_144,
		MaxRefused:       1000,
		MaxLetters:       100,
		InsertTimeout:    30 * time.Second,
		RetryMin:         100 * time.Millisecond,
		RetryMax:         5 * time.Second,
		PositionMaxAge:   30 * time.Second,
		Heartbeat:        2 * time.Second,
		PollInterval:     5 * time.Second,
		Grace:            20 * time.Second,
	}
}

// Validate reports settings that cannot work.
func (c Config) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(c.Stream != "" && c.DeadLetterStream != "", "stream names must not be empty")
	check(len(c.Partitions) > 0, "partitions must not be empty")
	for i, p := range c.Partitions {
		check(p >= 0, "partition %d is negative", p)
		for _, q := range c.Partitions[:i] {
			check(p != q, "partition %d is named twice", p)
		}
	}
	check(c.MaxRows > 0 && c.MaxBytes > 0 && c.MaxAge > 0, "batch limits must be positive")
	check(c.Memory >= 8<<20, "memory must be at least 8 MiB")
	check(c.PullBytes > 0, "pull bytes must be positive")
	check(c.MaxInserts > 0, "max inserts must be positive")
	check(c.RecentIDs >= 0, "recent ids must not be negative")
	check(c.MaxRefused > 0, "max refused must be positive")
	check(c.MaxLetters > 0, "max letters must be positive")
	check(c.InsertTimeout > 0 && c.PositionMaxAge > 0, "insert timeout and position max age must be positive")
	check(c.RetryMin > 0 && c.RetryMax >= c.RetryMin, "retry waits must be positive and in order")
	check(c.Heartbeat >= 500*time.Millisecond && c.Heartbeat <= 30*time.Second, "heartbeat must be 0.5 to 30 seconds")
	check(c.PollInterval > 0 && c.Grace >= 0, "poll interval must be positive, grace not negative")
	check(c.LeaseTTL == 0 || c.LeaseTTL >= time.Second, "lease TTL must be 0 or at least a second")
	return errors.Join(errs...)
}
