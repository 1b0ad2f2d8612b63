package cli

import (
	"fmt"
	"io"

	"github.com/tooltrail/tooltrail/capture"
	"github.com/tooltrail/tooltrail/cli/report"
)

// maxProblems is how many problems of one file are listed; the rest are counted.
const maxProblems = 5

// problems collects the lines of one file that could not be read.
type problems struct {
	shown []capture.Problem
	count int
}

func (p *problems) add(q capture.Problem) {
	p.count++
	if len(p.shown) < maxProblems {
		p.shown = append(p.shown, q)
	}
}

// write lists the first problems with file and line, and says how many more there are.
func (p *problems) write(w io.Writer) {
	for i := range p.shown {
		_, _ = fmt.Fprintln(w, report.Safe(p.shown[i].Error()))
	}
	if more := p.count - len(p.shown); more > 0 {
		_, _ = fmt.Fprintf(w, "%s: %s more left out\n", report.Safe(p.shown[0].File), report.Plural(int64(more), "line"))
	}
}
