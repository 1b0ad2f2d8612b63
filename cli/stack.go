package cli

import (
	"context"
	"errors"
	"slices"
	"time"
)

// stopGrace is how long each part may take to stop.
const stopGrace = 30 * time.Second

// stack is what was started, to be stopped in reverse.
type stack struct {
	stops []func(ctx context.Context) error
}

// push notes how to stop what was started last.
func (s *stack) push(stop func(ctx context.Context) error) { s.stops = append(s.stops, stop) }

// stop stops everything, the last first, each with a grace of its own, and returns all errors.
func (s *stack) stop() error {
	var errs []error
	for _, stop := range slices.Backward(s.stops) {
		ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
		errs = append(errs, stop(ctx))
		cancel()
	}
	s.stops = nil
	return errors.Join(errs...)
}

// spawn runs a part on its own until the stack stops it. A part that ends before that, with an error or without, tells failed.
func (s *stack) spawn(run func(ctx context.Context) error, failed func(error)) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		err := run(ctx)
		if ctx.Err() == nil {
			failed(err)
		}
		done <- err
	}()
	s.push(func(grace context.Context) error {
		cancel()
		select {
		case err := <-done:
			return err
		case <-grace.Done():
			return errNotStopped
		}
	})
}

// errNotStopped says that a part did not stop within its grace.
var errNotStopped = errors.New("a part did not stop in time")
