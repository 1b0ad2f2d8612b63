package mcpserver

import (
	"errors"
	"strings"
)

var errCommand = errors.New("read command: a quote or a backslash at the end is left open")

// SplitCommand splits a command as a shell would: at blanks, with '...', "..." and \ to keep them. Nothing is expanded, and no shell
// is started.
func SplitCommand(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	open, escaped := false, false
	for _, c := range s {
		switch {
		case escaped:
			escaped = false
			if quote == '"' && c != '"' && c != '\\' && c != '$' && c != '`' {
				word.WriteRune('\\')
			}
			word.WriteRune(c)
		case c == '\\' && quote != '\'':
			escaped, open = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, open = c, true
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(c)
			open = true
		}
	}
	if quote != 0 || escaped {
		return nil, errCommand
	}
	if open {
		words = append(words, word.String())
	}
	return words, nil
}

// inherited are the variables that a program gets from our environment unasked: a server that somebody else wrote need not see
// credentials.
var inherited = []string{"HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"}

// Environment makes the environment of a program: a few harmless variables of ours, and those that more names, as NAME to take ours
// or NAME=VALUE. The error names a variable that is not set.
func Environment(getenv func(string) string, more []string) ([]string, error) {
	var env []string
	for _, name := range inherited {
		if v := getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	for _, m := range more {
		name, _, given := strings.Cut(m, "=")
		switch {
		case name == "":
			return nil, errors.New("read environment: want NAME or NAME=VALUE")
		case given:
			env = append(env, m)
		case getenv(name) == "":
			return nil, errors.New("read environment: " + name + " is not set")
		default:
			env = append(env, name+"="+getenv(name))
		}
	}
	return env, nil
}
