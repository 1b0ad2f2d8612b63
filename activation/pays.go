package activation

import (
	"cmp"
	"context"
	_ "embed"
	"maps"
	"slices"

	"github.com/tooltrail/tooltrail/events"
)

var (
	//go:embed pays_rosters.sql
	paysRostersSQL string
	//go:embed pays_loads.sql
	paysLoadsSQL string
	//go:embed pays_requests.sql
	paysRequestsSQL string
)

// bytesPerToken is how many bytes of a definition or roster are taken for a token, alike on both sides of the comparison: what the lint goes by.
func (a *analysis) bytesPerToken() float64 { return a.settings.Roster.orDefault().Cost.BytesPerToken }

// wrongNames are the rules whose calls a model would hardly have made with all definitions in front of it.
var wrongNames = map[string]bool{
	string(events.ResolvedNotActivated): true, string(events.ResolvedConnectorName): true, string(events.ResolvedPrefixRepair): true,
	string(events.ResolvedGuessed): true, string(events.ResolvedUnknown): true,
}

// Pay compares, for one agent, what its models read with tools loaded on demand and what they would read with everything loaded. Tokens of texts
// are estimates; those of round trips and guesses are what the events say.
type Pay struct {
	Agent string `json:"agent"`
	// Requests are requests to models; where none were reported they are the conversations that loaded tools, so that a text counts once a
	// conversation and the saving is a lower bound. RequestsReported says which.
	Requests         uint64 `json:"requests"`
	RequestsReported bool   `json:"requests_reported"`
	Conversations    uint64 `json:"conversations"`
	// Tools are the tools of a roster, on average, and ToolsKnown those of them whose definitions are known.
	Tools      float64 `json:"tools"`
	ToolsKnown float64 `json:"tools_known"`
	// RosterTokens, LoadedTokens and EverythingTokens are what one request holds on average: the text of the roster, the definitions that were
	// shown from the start or loaded, and all definitions.
	RosterTokens     float64 `json:"roster_tokens"`
	LoadedTokens     float64 `json:"loaded_tokens"`
	EverythingTokens float64 `json:"everything_tokens"`
	// Loads are tools loaded, each once a conversation; RoundTrips are answers of a model that asked for tools, RoundTripTokens theirs, nil
	// where no event reports any.
	Loads           uint64  `json:"loads"`
	RoundTrips      uint64  `json:"round_trips"`
	RoundTripTokens *uint64 `json:"round_trip_tokens"`
	// RoundTripsPerConversation is of the conversations that loaded tools.
	RoundTripsPerConversation float64 `json:"round_trips_per_conversation"`
	// Guesses are calls by names that were wrong or not loaded yet; GuessTokens are theirs, nil where no event reports any.
	Guesses     uint64  `json:"guesses"`
	GuessTokens *uint64 `json:"guess_tokens"`
	// OnDemandTokens are the requests' rosters and definitions, round trips and guesses; AllLoadedTokens all definitions in each
	// request that was no round trip.
	OnDemandTokens  float64 `json:"on_demand_tokens"`
	AllLoadedTokens float64 `json:"all_loaded_tokens"`
	SavedTokens     float64 `json:"saved_tokens"`
	// Pays is nil where it is not known: where definitions are missing, since then the comparison would favour loading everything; where it seems
	// to pay and the tokens of round trips or guesses were not reported; where it seems not to and requests were not.
	Pays *bool `json:"pays"`
}

// pays fills [Report.Pays].
func (a *analysis) pays(ctx context.Context) error {
	all := map[string]*Pay{}
	for _, read := range []func(context.Context, map[string]*Pay) error{a.payRosters, a.payLoads, a.payRequests} {
		if err := read(ctx, all); err != nil {
			return err
		}
	}
	for _, agent := range slices.Sorted(maps.Keys(all)) {
		p := all[agent]
		p.Guesses, p.GuessTokens = a.guesses[agent].calls, reported(a.guesses[agent].calls, a.guesses[agent].tokens)
		p.settle()
		a.report.Pays = append(a.report.Pays, *p)
	}
	return nil
}

func (a *analysis) payRosters(ctx context.Context, all map[string]*Pay) error {
	var row struct {
		Agent  string  `ch:"agent"`
		Lists  uint64  `ch:"n_lists"`
		Tools  float64 `ch:"n_tools"`
		Told   float64 `ch:"n_tools_told"`
		Roster float64 `ch:"roster_bytes"`
		Shown  float64 `ch:"shown_bytes"`
		All    float64 `ch:"all_bytes"`
	}
	perToken := a.bytesPerToken()
	return a.q.Each(ctx, paysRostersSQL, a.window.Args(), &row, func() error {
		all[row.Agent] = &Pay{
			Agent: row.Agent, Tools: row.Tools, ToolsKnown: row.Told, RosterTokens: row.Roster / perToken,
			LoadedTokens: row.Shown / perToken, EverythingTokens: row.All / perToken,
		}
		return nil
	})
}

func (a *analysis) payLoads(ctx context.Context, all map[string]*Pay) error {
	var row struct {
		Agent         string `ch:"agent"`
		Conversations uint64 `ch:"conversations"`
		Loads         uint64 `ch:"loads"`
		Told          uint64 `ch:"told"`
		Bytes         uint64 `ch:"loaded_bytes"`
		Trips         uint64 `ch:"trips"`
		Tokens        uint64 `ch:"tokens"`
	}
	return a.q.Each(ctx, paysLoadsSQL, a.window.Args(), &row, func() error {
		p := all[row.Agent]
		if p == nil { // without a roster there is nothing to compare with
			return nil
		}
		p.Conversations, p.Loads = row.Conversations, row.Loads
		p.RoundTrips, p.RoundTripTokens = row.Trips, reported(row.Trips, row.Tokens)
		if row.Told > 0 { // a definition that is not known weighs as much as the others
			bytes := float64(row.Bytes) * float64(row.Loads) / float64(row.Told)
			p.LoadedTokens += bytes / a.bytesPerToken() / float64(max(row.Conversations, 1))
		}
		return nil
	})
}

func (a *analysis) payRequests(ctx context.Context, all map[string]*Pay) error {
	var row struct {
		Agent         string `ch:"agent"`
		Requests      uint64 `ch:"requests"`
		Conversations uint64 `ch:"conversations"`
	}
	return a.q.Each(ctx, paysRequestsSQL, a.window.Args(), &row, func() error {
		if p := all[row.Agent]; p != nil {
			p.Requests = row.Requests
		}
		return nil
	})
}

// guessed are an agent's calls with wrong names.
type guessed struct{ calls, tokens uint64 }

// reported returns the tokens of so many answers or calls. None takes no tokens, so where there are none they were not reported: nil, not zero.
func reported(n, tokens uint64) *uint64 {
	if n > 0 && tokens == 0 {
		return nil
	}
	return &tokens
}

// orZero is what is known of tokens.
func orZero(tokens *uint64) float64 {
	if tokens == nil {
		return 0
	}
	return float64(*tokens)
}

// settle compares the two ways.
func (p *Pay) settle() {
	trips := p.RoundTrips
	if trips == 0 {
		p.RoundTripTokens = reported(0, 0)
	}
	if p.RequestsReported = p.Requests > 0; !p.RequestsReported {
		p.Requests, trips = max(p.Conversations, 1), 0
	}
	p.RoundTripsPerConversation = float64(p.RoundTrips) / float64(max(p.Conversations, 1))
	p.OnDemandTokens = (p.RosterTokens+p.LoadedTokens)*float64(p.Requests) + orZero(p.RoundTripTokens) + orZero(p.GuessTokens)
	p.AllLoadedTokens = p.EverythingTokens * float64(cmp.Or(p.Requests-min(trips, p.Requests), 1))
	p.SavedTokens = p.AllLoadedTokens - p.OnDemandTokens
	if pays := p.SavedTokens > 0; p.ToolsKnown >= p.Tools && p.Tools > 0 && p.sure(pays) {
		p.Pays = &pays
	}
}

// sure reports whether what was not reported could not turn the answer: tokens of round trips and guesses only take from the saving, and each
// request more than one a conversation only adds to it.
func (p *Pay) sure(pays bool) bool {
	if pays {
		return p.RoundTripTokens != nil && p.GuessTokens != nil
	}
	return p.RequestsReported
}
