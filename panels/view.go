package panels

import "slices"

// View is one page of panels that answer one question.
type View struct {
	// ID names it in addresses: overview, drift, prefix, activation, conversation or pipeline.
	ID    string
	Title string
	// Question is what somebody who opens it wants to know.
	Question string
	// Variables are those that the view's panels can be narrowed by, in the order in which they are shown.
	Variables []Variable
	Panels    []Panel
}

// The ids of the views.
const (
	Overview     = "overview"
	Drift        = "drift"
	Prefix       = "prefix"
	Activation   = "activation"
	Conversation = "conversation"
	Pipeline     = "pipeline"
)

// Kind is how a panel is drawn.
type Kind string

// The kinds of panels, and what their queries return.
const (
	// Stat is one row of numbers, one big figure a column.
	Stat Kind = "stat"
	// TimeSeries has a column time, an optional String column series, and numbers: a line for each value of series and each number. Points
	// that are missing are not known, which is not zero.
	TimeSeries Kind = "timeseries"
	// Table is rows of the columns that the panel lists; others are for links alone.
	Table Kind = "table"
	// Bars has a row a bar: a String column first, then one number, the longest bar first.
	Bars Kind = "bars"
)

// Panel is one question, its query and how the answer is shown.
type Panel struct {
	// ID is unique among all panels and names its query: sql/ID.sql.
	ID    string
	Title string
	// Description says in a sentence or two what is shown, and how it is counted.
	Description string
	Kind        Kind
	// Section is the heading that begins with this panel; empty where the one before goes on.
	Section string
	// SQL is the query with macros and variables; see [Expand].
	SQL string
	// Columns are those of the result that are shown, in order. Of a time series they are the numbers.
	Columns []Column
	// Unit and Thresholds are those of the columns that have none of their own.
	Unit       Unit
	Thresholds []Threshold
	// Stacked is set for time series whose lines add up to a whole.
	Stacked bool
	// Empty is what to say where there are no rows, and what to do next.
	Empty string
	// Width is in twelfths of the page, Height in lines of about 30 pixels.
	Width, Height int
}

// Column is one column of a panel's result.
type Column struct {
	// Name is the column's in the result; Title is what is shown.
	Name, Title string
	Unit        Unit
	Thresholds  []Threshold
	// Link is where a value leads; nil where it leads nowhere.
	Link *Link
}

// Unit is what a number counts, or what a value is.
type Unit string

// The units.
const (
	// Text is a value that is no number, or an array of them.
	Text Unit = ""
	// Count is of things.
	Count Unit = "count"
	// Ratio is from 0 to 1, shown in per cent.
	Ratio Unit = "ratio"
	// Multiple says how many times as much.
	Multiple Unit = "multiple"
	Tokens   Unit = "tokens"
	USD      Unit = "usd"
	Seconds  Unit = "seconds"
	Bytes    Unit = "bytes"
	// Time is a moment.
	Time Unit = "time"
	// Severity is info, warning or critical.
	Severity Unit = "severity"
)

// Level is how bad a value is.
type Level string

// The levels, the mildest first.
const (
	Good Level = "good"
	Warn Level = "warning"
	Bad  Level = "critical"
)

// Threshold says how bad values are that lie over it, strictly: 5 % of drift is fine, and more is not.
type Threshold struct {
	Over  float64
	Level Level
	// OrEqual is set where the value itself is that bad too.
	OrEqual bool
}

// Reached says whether a value lies over the threshold.
func (t Threshold) Reached(value float64) bool { return value > t.Over || t.OrEqual && value >= t.Over }

// LevelOf is how bad a value is by thresholds in rising order; Good where it is over none of them.
func LevelOf(thresholds []Threshold, value float64) Level {
	level := Good
	for _, t := range thresholds {
		if t.Reached(value) {
			level = t.Level
		}
	}
	return level
}

// Link is where a value leads: to a view with some variables set, or to a runbook. Each renderer makes its own address of it.
type Link struct {
	// View is the id of a view; empty for a runbook.
	View string
	// Title says where it leads.
	Title string
	// Set names, for each variable that the link sets, the column of the row whose value it takes; an empty value leaves the variable as it
	// is, and where all are empty the row has no link. Variables that it does not set stay as they are.
	Set map[string]string
	// Runbook is the column that holds the name of a runbook, that of docs/alerts/NAME.md; empty values lead nowhere.
	Runbook string
	// ViewFrom is the column that holds the view's id, where it differs from row to row.
	ViewFrom string
}

// Views lists all views in their order.
func Views() []View { return slices.Clone(all) }

// Find returns the view of an id.
func Find(id string) (View, bool) {
	for _, v := range all {
		if v.ID == id {
			return v, true
		}
	}
	return View{}, false
}

// Panel returns the view's panel of an id.
func (v View) Panel(id string) (Panel, bool) {
	for _, p := range v.Panels {
		if p.ID == id {
			return p, true
		}
	}
	return Panel{}, false
}

// Column returns the panel's column of a name.
func (p Panel) Column(name string) (Column, bool) {
	for _, c := range p.Columns {
		if c.Name == name {
			return c, true
		}
	}
	return Column{}, false
}
