package drift

import (
	"strconv"
	"strings"
)

// otherCauses are what error types have in them that say that a call failed for a cause other than its arguments, in small letters and without
// anything that is no letter.
var otherCauses = []string{
	"timeout", "timedout", "deadlineexceeded", "cancel", "aborted", "connection", "unavailable", "unreachable", "ratelimit", "toomanyrequests", "throttl",
	"unauthorized", "unauthenticated", "forbidden", "permissiondenied", "nosuchtool",
}

// IsOtherCause reports that an error type, such as timeout, ConnectionError or 503, says that a call failed for a cause other than its arguments:
// time, connection, load, rights, or the server's own trouble. HTTP statuses are 401, 403, 408, 429 and all from 500 on.
func IsOtherCause(errorType string) bool {
	if status, err := strconv.Atoi(strings.TrimPrefix(errorType, "http_")); err == nil {
		return status == 401 || status == 403 || status == 408 || status == 429 || status >= 500 && status < 600
	}
	letters := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' {
			return c
		}
		return -1
	}, strings.ToLower(errorType))
	for _, cause := range otherCauses {
		if strings.Contains(letters, cause) {
			return true
		}
	}
	return false
}
