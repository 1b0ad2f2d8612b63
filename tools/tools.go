//go:build tools

// Package tools pins the programs that check Tooltrail, apart from what it is built from.
package tools

import _ "github.com/golangci/golangci-lint/v2/cmd/golangci-lint"
