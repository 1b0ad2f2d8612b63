package page

import (
	"context"
	"log/slog"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/tooltrail/tooltrail/panels"
)

// drawing turns a view into what a template shows.
type drawing struct {
	from     Database
	to       addresses
	view     panels.View
	asked    asked
	parallel int
	log      *slog.Logger
}

// section is panels under one heading.
type section struct {
	ID, Title string
	Panels    []*panel
}

// panel is a panel as a template shows it.
type panel struct {
	ID, Title, Description, Empty, Failed, Note string
	// Repeats says that the title is that of the section, and is there for screen readers alone.
	Repeats bool
	// Alone says that the section has no title, so that the panel's is the next under that of the page.
	Alone   bool
	Kind    panels.Kind
	Width   int
	Figures []figure
	Table   *table
	Chart   *chart
}

// figure is one big number.
type figure struct {
	Title string
	cell
}

// sections runs the view's queries, several at once, and returns what to show. What a query could not answer is said in its panel.
func (d *drawing) sections(ctx context.Context) []section {
	drawn := make([]*panel, len(d.view.Panels))
	var running errgroup.Group
	running.SetLimit(d.parallel)
	for i, p := range d.view.Panels {
		running.Go(func() error {
			drawn[i] = d.panel(ctx, p)
			return nil
		})
	}
	_ = running.Wait() // none returns an error
	var all []section
	for i, p := range d.view.Panels {
		if p.Section != "" || len(all) == 0 {
			all = append(all, section{ID: d.view.ID + "-" + slug(p.Section), Title: p.Section})
		}
		last := &all[len(all)-1]
		drawn[i].Repeats, drawn[i].Alone = drawn[i].Title == last.Title, last.Title == ""
		last.Panels = append(last.Panels, drawn[i])
	}
	return all
}

// slug makes an id of a heading.
func slug(s string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, strings.ToLower(s)), "-")
}

// panel runs one query.
func (d *drawing) panel(ctx context.Context, p panels.Panel) *panel {
	out := &panel{ID: p.ID, Title: p.Title, Description: p.Description, Empty: p.Empty, Kind: p.Kind, Width: p.Width, Note: inWords(p)}
	rows, err := d.rows(ctx, p.SQL)
	switch {
	case err != nil:
		d.log.Error("panel has no answer", slog.String("panel", p.ID), slog.Any("error", err))
		out.Failed = "The database did not answer. Look at Pipeline health and at the log of tooltrail, and load the page again."
		if ctx.Err() != nil {
			out.Failed = "The database took too long. Choose a shorter time range or fewer filters."
		}
	case len(rows) == 0:
	case p.Kind == panels.Stat:
		out.Figures = d.figures(p, rows[0])
	case p.Kind == panels.TimeSeries:
		if c := d.newChart(p, rows); len(c.Series) > 0 {
			out.Chart, out.Table = c, c.chartTable(p)
		}
	case p.Kind == panels.Bars:
		out.Table = d.newBars(p, rows)
	default:
		out.Table = d.newTable(p, rows)
	}
	return out
}

func (d *drawing) rows(ctx context.Context, sql string) ([]record, error) {
	query, err := panels.Expand(sql, d.asked.scope)
	if err != nil {
		return nil, err
	}
	answer, err := d.from.Rows(ctx, query)
	if err != nil {
		return nil, err
	}
	return records(answer), nil
}

func (d *drawing) figures(p panels.Panel, row record) []figure {
	var all []figure
	for _, c := range p.Columns {
		f := figure{Title: c.Title, cell: d.linked(newCell(p, c, row[c.Name]), c.Link, row)}
		if strings.EqualFold(f.Title, f.Word) {
			f.Word = "" // the title says it
		}
		all = append(all, f)
	}
	return all
}

// Limits of what is offered to choose from: so many values, each so long in bytes.
const (
	maxOptions = 200
	maxOption  = 200
)

// options returns the values that the view's variables have, by name.
func (d *drawing) options(ctx context.Context) map[string][]string {
	lists := make([][]string, len(d.view.Variables))
	var running errgroup.Group
	running.SetLimit(d.parallel)
	for i, v := range d.view.Variables {
		running.Go(func() error {
			lists[i] = d.valuesOf(ctx, v)
			return nil
		})
	}
	_ = running.Wait() // none returns an error
	all := map[string][]string{}
	for i, v := range d.view.Variables {
		all[v.Name] = lists[i]
	}
	return all
}

// valuesOf lists values of a variable; one that can be typed in only is not among them.
func (d *drawing) valuesOf(ctx context.Context, v panels.Variable) []string {
	rows, err := d.rows(ctx, v.SQL)
	if err != nil {
		d.log.Error("variable has no answer", slog.String("variable", v.Name), slog.Any("error", err))
		return nil
	}
	var all []string
	for _, row := range rows {
		value := text(row["value"])
		if value != "" && len(value) <= maxOption && clean(value, maxOption) == value && len(all) < maxOptions {
			all = append(all, value)
		}
	}
	return all
}
