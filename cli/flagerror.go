package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"
)

// wanted says, by a flag's type, what its value has to be.
var wanted = map[string]string{
	"int": "a whole number, such as 10000", "int64": "a whole number, such as 10000", "uint64": "a whole number, such as 10000",
	"float64": "a number, such as 0.25", "bool": "true or false",
}

// flagError says what a flag's value has to be, in words of its own where the value is of another type.
func flagError(err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	want := wanted[bad.GetFlag().Value.Type()]
	if want == "" {
		return err
	}
	return fmt.Errorf("--%s %q: want %s", bad.GetFlag().Name, bad.GetValue(), want)
}
