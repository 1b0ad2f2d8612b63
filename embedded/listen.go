package embedded

import (
	"errors"
	"fmt"
	"net"
	"strconv"
)

// ErrPasswordNeeded says that an address open to other machines has no password.
var ErrPasswordNeeded = errors.New("listening beyond loopback needs a password")

// checkListen refuses addresses that other machines can reach without a password.
func checkListen(what, addr, password string) error {
	host, _, err := splitListen(addr)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if password == "" && !isLoopback(host) {
		return fmt.Errorf("%s: listen on %s: %w", what, addr, ErrPasswordNeeded)
	}
	return nil
}

func splitListen(addr string) (string, int, error) {
	host, portText, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, fmt.Errorf("read listen address: %w", err)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return "", 0, fmt.Errorf("read listen address %s: %w", addr, err)
	}
	return host, int(port), nil
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
