package service

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// healthyTimeout is how long an address may take to say that it is healthy.
const healthyTimeout = 5 * time.Second

// Healthy asks an address and returns nil when it answers with 200. It is for containers, whose images have no other program that could ask.
func Healthy(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, healthyTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("ask for health: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("ask for health: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("ask for health: %s answers %d", url, resp.StatusCode)
	}
	return nil
}
