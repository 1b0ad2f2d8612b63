package cli

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
)

// checkListen refuses what is no address to listen on; a URL is of a server elsewhere.
func checkListen(flag, addr string) error {
	if isURL(addr) {
		return nil
	}
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return usageError{fmt.Errorf("--%s %q: want HOST:PORT, such as 127.0.0.1:8090, or 127.0.0.1:0 for a free port", flag, addr)}
	}
	return nil
}

// sayTaken adds to an error about a port in use how to choose another.
func sayTaken(flag string, err error) error {
	if err == nil || !errors.Is(err, syscall.EADDRINUSE) && !strings.Contains(err.Error(), "address already in use") {
		return err
	}
	return fmt.Errorf("%w: choose another with --%s, or a free one with --%s 127.0.0.1:0", err, flag, flag)
}
