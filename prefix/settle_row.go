package prefix

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// verdictRow is what is kept of a request that was judged; compared is the one that it was compared with, if any.
func verdictRow(o, compared *Observed, v *Judged, at, stored time.Time) events.RequestVerdict {
	r := events.RequestVerdict{
		ID: o.ID, Conversation: o.ConversationID, Time: at, IngestedAt: stored, StartTime: o.StartTime,
		AgentName: o.AgentName, AgentVersion: o.AgentVersion, Environment: o.Environment, Team: o.Team,
		ProviderName: o.ProviderName, RequestModel: o.RequestModel,
		Request: v.Request, Verdict: string(v.Verdict), Secondary: words(v.Secondary), Cause: string(v.Cause), CauseNames: v.CauseNames,
		Params: v.Params, SystemBlock: int64(v.System), SystemRhythm: string(v.SystemRhythm), Message: int64(v.Message),
		GapSeconds: v.Gap.Seconds(), ClockBackwards: v.ClockBackwards,
		ReadTokens: tokens(o.CacheReadInputTokens), ExpectedRead: tokens(v.ExpectedRead), TokensLost: tokens(v.TokensLost),
		LostUSD: dollars(v.LostUSD), CostUSD: dollars(v.CostUSD), StatedCostUSD: dollars(o.StatedCostUSD),
		Diagnosis: o.ProviderDiagnosis, DiagnosisVerdict: string(v.Diagnosed), Agreement: string(v.Agreement),
		Unseen: v.Unseen,
	}
	if o.reported() {
		r.PromptTokens = tokens(events.Tokens(o.prompt()))
	}
	if compared != nil {
		r.Compared = compared.ID
	}
	for _, t := range v.Tools {
		r.ToolNames, r.ToolKinds = append(r.ToolNames, t.Name), append(r.ToolKinds, string(t.Kind))
		r.ToolIndexes, r.ToolMiddle = append(r.ToolIndexes, int64(t.Index)), append(r.ToolMiddle, t.Middle)
		r.ToolRhythms = append(r.ToolRhythms, string(t.Rhythm))
	}
	return r
}

// setFlux notes at a request what keeps changing along its conversation.
func setFlux(r *events.RequestVerdict, all []Flux) {
	for _, f := range all {
		r.FluxKinds, r.FluxParts, r.FluxNames = append(r.FluxKinds, string(f.Kind)), append(r.FluxParts, f.Part), append(r.FluxNames, f.Name)
		r.FluxRequests = append(r.FluxRequests, int64(f.Requests))
		r.FluxChanges, r.FluxValues = append(r.FluxChanges, int64(f.Changes)), append(r.FluxValues, int64(f.Values))
		r.FluxCouldRead, r.FluxCouldReadUSD = append(r.FluxCouldRead, f.CouldRead), append(r.FluxCouldReadUSD, f.CouldReadUSD)
	}
}

// words are verdicts as a row has them.
func words(all []Verdict) []string {
	var out []string
	for _, v := range all {
		out = append(out, string(v))
	}
	return out
}

func tokens(c events.Count) *uint64 {
	if !c.Known {
		return nil
	}
	n := uint64(max(c.N, 0))
	return &n
}

func dollars(a events.Amount) *float64 {
	if !a.Known {
		return nil
	}
	return &a.USD
}

// contentOf is a hash of all of a row but for when it was judged.
func contentOf(r *events.RequestVerdict) uint64 {
	var b []byte
	text := func(all ...string) {
		b = binary.AppendUvarint(b, uint64(len(all)))
		for _, s := range all {
			b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
		}
	}
	whole := func(all ...int64) {
		b = binary.AppendUvarint(b, uint64(len(all)))
		for _, n := range all {
			b = binary.AppendVarint(b, n)
		}
	}
	text(r.ID, r.Conversation, r.AgentName, r.AgentVersion, r.Environment, r.Team, r.ProviderName, r.RequestModel, r.Compared, r.Verdict,
		r.Cause, r.SystemRhythm, r.Diagnosis, r.DiagnosisVerdict, r.Agreement)
	for _, list := range [][]string{r.Secondary, r.CauseNames, r.ToolNames, r.ToolKinds, r.ToolRhythms, r.Params, r.FluxKinds, r.FluxParts, r.FluxNames, r.Unseen} {
		text(list...)
	}
	whole(r.Time.UnixMicro(), r.IngestedAt.UnixMilli(), r.StartTime.UnixMicro(), r.Request, r.SystemBlock, r.Message, int64(math.Float64bits(r.GapSeconds)))
	for _, list := range [][]int64{r.ToolIndexes, r.FluxRequests, r.FluxChanges, r.FluxValues, r.FluxCouldRead} {
		whole(list...)
	}
	for _, middle := range append([]bool{r.ClockBackwards}, r.ToolMiddle...) {
		if middle {
			whole(1)
		} else {
			whole(0)
		}
	}
	for _, n := range []*uint64{r.PromptTokens, r.ReadTokens, r.ExpectedRead, r.TokensLost} {
		if n == nil {
			whole(-1)
		} else {
			whole(int64(*n))
		}
	}
	for _, usd := range append([]*float64{r.LostUSD, r.CostUSD, r.StatedCostUSD}, r.FluxCouldReadUSD...) {
		if usd == nil {
			whole()
		} else {
			whole(int64(math.Float64bits(*usd)))
		}
	}
	h := fnv.New64a()
	_, _ = h.Write(b)
	return h.Sum64()
}
