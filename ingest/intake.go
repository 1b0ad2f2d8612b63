package ingest

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/metrics"
)

// IntakePath is where [NewIntake]'s handler takes events.
const IntakePath = "/v1/events"

// IntakeConfig has the settings of the HTTP intake.
type IntakeConfig struct {
	// Token, when not empty, is what requests must carry as "Authorization: Bearer TOKEN".
	Token string
	// Partitions is the number of partitions that agents use; see [events.Partition].
	Partitions int
	// MaxBodyBytes is the most that a body may have. MaxLineBytes is the most that a line may have, at most
	// [events.MaxEventBytes].
	MaxBodyBytes int64
	MaxLineBytes int
	// MaxBodies is how many bodies may be in memory at once; more are told to come again.
	MaxBodies int
	// MaxErrors is how many bad lines an answer lists.
	MaxErrors int
	// ReadTimeout is how long a body may take to come, PublishTimeout how long JetStream may take to ack it.
	ReadTimeout, PublishTimeout time.Duration
	// Metrics and Log may be nil.
	Metrics *metrics.Ingest
	Log     *slog.Logger
}

// DefaultIntakeConfig returns the settings for agents on the same machine: no token.
func DefaultIntakeConfig() IntakeConfig {
	return IntakeConfig{
		Partitions:     1,
		MaxBodyBytes:   8 << 20,
		MaxLineBytes:   events.MaxEventBytes,
		MaxBodies:      16,
		MaxErrors:      100,
		ReadTimeout:    30 * time.Second,
		PublishTimeout: 10 * time.Second,
	}
}

// Validate reports settings that cannot work.
func (c IntakeConfig) Validate() error {
	switch {
	case c.Partitions < 1:
		return errors.New("partitions must be at least 1")
	case c.MaxBodyBytes < 1 || c.MaxLineBytes < 1 || c.MaxLineBytes > events.MaxEventBytes:
		return fmt.Errorf("body and line limits must be positive, the line's at most %d", events.MaxEventBytes)
	case c.MaxBodies < 1 || c.MaxErrors < 1:
		return errors.New("numbers of bodies and errors must be positive")
	case c.ReadTimeout <= 0 || c.PublishTimeout <= 0:
		return errors.New("timeouts must be positive")
	}
	return nil
}

// intake is the handler of [NewIntake].
type intake struct {
	cfg    IntakeConfig
	js     jetstream.JetStream
	token  [sha256.Size]byte
	bodies chan struct{}
}

// NewIntake returns a handler of POST /v1/events: the body is one event a line, as JSON (NDJSON). It answers after JetStream has
// acked what it accepted. The same body again, or the same lines, count once: messages get ids made from their content, within
// the stream's duplicate window, and each event's id counts once after that. A request with [events.HistoryHeader] brings events of
// long ago. The answer is an [IntakeAnswer]:
//
//   - 200 all lines were accepted
//   - 207 some lines were accepted, the others are listed with the reason
//   - 400 the body could not be read, or has no lines
//   - 401 the token is missing or wrong
//   - 413 the body is too large
//   - 422 no line was accepted; each is listed with the reason
//   - 503 NATS is away, or too many bodies are on their way: send all of it again later
//
// Settings that cannot work make it panic; see [IntakeConfig.Validate].
func NewIntake(js jetstream.JetStream, cfg IntakeConfig) http.Handler {
	if err := cfg.Validate(); err != nil {
		panic(fmt.Sprintf("intake settings: %v", err))
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	in := &intake{cfg: cfg, js: js, token: sha256.Sum256([]byte(cfg.Token)), bodies: make(chan struct{}, cfg.MaxBodies)}
	mux := http.NewServeMux()
	mux.Handle("POST "+IntakePath, in)
	return mux
}

// ServeHTTP takes one body.
func (in *intake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, answer := in.take(w, r)
	if m := in.cfg.Metrics; m != nil {
		m.IntakeRequests.WithLabelValues(strconv.Itoa(status)).Inc()
		m.IntakeEvents.WithLabelValues("accepted").Add(float64(answer.Accepted))
		m.IntakeEvents.WithLabelValues("refused").Add(float64(answer.refused()))
	}
	answer.write(w, status)
}

func (in *intake) take(w http.ResponseWriter, r *http.Request) (int, *IntakeAnswer) {
	if !in.allowed(r) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		return failure(http.StatusUnauthorized, "the bearer token is missing or wrong")
	}
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return failure(http.StatusUnsupportedMediaType, "send the body without a content encoding")
	}
	if r.ContentLength > in.cfg.MaxBodyBytes {
		return in.tooLarge()
	}
	select {
	case in.bodies <- struct{}{}:
		defer func() { <-in.bodies }()
	default:
		return again(w, "too many bodies are on their way")
	}
	body, err := in.read(w, r)
	var limit *http.MaxBytesError
	switch {
	case errors.As(err, &limit):
		return in.tooLarge()
	case err != nil:
		return failure(http.StatusBadRequest, "the body could not be read")
	}
	return in.accept(w, r, body)
}

// accept checks and publishes a body's lines.
func (in *intake) accept(w http.ResponseWriter, r *http.Request, body []byte) (int, *IntakeAnswer) {
	s := newSorter(in.cfg, maxPayload(in.js))
	answer := s.sort(body)
	if s.lines == 0 {
		return failure(http.StatusBadRequest, "the body has no lines")
	}
	msgs := s.messages()
	if old := r.Header.Get(events.HistoryHeader); old != "" {
		for _, m := range msgs {
			m.Header.Set(events.HistoryHeader, "1")
		}
	}
	if err := in.publish(r.Context(), msgs); err != nil {
		in.cfg.Log.Warn("intake can't publish", slog.Any("error", err))
		answer.Accepted = 0
		answer.Error = "NATS does not answer; send the whole body again"
		if errors.Is(err, jetstream.ErrNoStreamResponse) {
			answer.Error = "NATS has no stream for events at the moment; send the whole body again"
		}
		w.Header().Set("Retry-After", "1")
		return http.StatusServiceUnavailable, answer
	}
	switch {
	case answer.refused() == 0:
		return http.StatusOK, answer
	case answer.Accepted > 0:
		return http.StatusMultiStatus, answer
	}
	return http.StatusUnprocessableEntity, answer
}

// publish returns once JetStream has all of the messages. They are sent one after the other, so that the lines of one
// conversation stay in order.
func (in *intake) publish(ctx context.Context, msgs []*nats.Msg) error {
	ctx, cancel := context.WithTimeout(ctx, in.cfg.PublishTimeout)
	defer cancel()
	if len(msgs) > 0 && !in.js.Conn().IsConnected() {
		return nats.ErrDisconnected
	}
	for _, m := range msgs {
		if _, err := in.js.PublishMsg(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// allowed compares tokens by their digests, so that the time it takes says nothing.
func (in *intake) allowed(r *http.Request) bool {
	if in.cfg.Token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], in.token[:]) == 1
}

func (in *intake) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(in.cfg.ReadTimeout)) // not every writer can
	return io.ReadAll(http.MaxBytesReader(w, r.Body, in.cfg.MaxBodyBytes))
}

func (in *intake) tooLarge() (int, *IntakeAnswer) {
	return failure(http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is over %d bytes", in.cfg.MaxBodyBytes))
}

func failure(status int, reason string) (int, *IntakeAnswer) {
	return status, &IntakeAnswer{Error: reason}
}

func again(w http.ResponseWriter, reason string) (int, *IntakeAnswer) {
	w.Header().Set("Retry-After", "1")
	return failure(http.StatusServiceUnavailable, reason)
}
