package events_test

import (
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/events"
)

func TestPlacesKeepNamesAndNoValues(t *testing.T) {
	for _, name := range []string{
		"", "a", "user_id", "userId", "payment-ids", "$ref", "a.b", "xml:lang", "address_line_2", "line1", "addressLine2", "oauth2Token",
		"oauth2_token", "base64", "base64Data", "i18n", "2fa", "s3_bucket", "API_KEY", "X-Request-Id", "größe", "名前", "top10", "utf8", "HTTPServer",
	} {
		if got := events.PlaceName(name); got != name {
			t.Errorf("%q became %q", name, got)
		}
	}
	for _, name := range []string{
		"sara_doe_496", "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "card_5634230", "496", "7654321", "ZFA04Y", "9AAAAA", "AAAAA9", "a9f3bc", "zfa04y",
		"2024-05-15", "sara@example.com", "Sara Doe", "https://example.com", "src/main.go", "+49 30 123456", "10.0.0.1", "HAT001", "a\nb", "a\x00b", "\xff",
		strings.Repeat("n", 65), "cus_N4ffrFe8UfNV2Hib", "PROJ-123", "user_12345",
	} {
		if got := events.PlaceName(name); got != "*" {
			t.Errorf("%q stayed %q", name, got)
		}
	}
}

func BenchmarkPlaceName(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		events.PlaceName("reservation_id")
	}
}
