package capture

import "context"

// exchangesFormat is logged requests to model providers with their answers, one exchange or one conversation a line.
func exchangesFormat() Format {
	return Format{
		Name:  "exchanges",
		About: "logged provider requests and answers, one exchange or one conversation a line",
		Sniff: func(head []byte) bool { return false },
		Read:  func(ctx context.Context, src *Source, emit Emit) error { return nil },
	}
}
