//go:build !amd64

package prefix

func longText(b []byte, i int) (end int, ok bool) { return plainText(b, i) }
