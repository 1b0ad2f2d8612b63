package client

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// ErrEnded is returned by [Call.Check] after [Call.End].
var ErrEnded = errors.New("the call has ended")

// Decision says how a call may run.
type Decision struct {
	// Tool is the tool to run: that of the call's name, the one inside a bridge, or the present one where [Call.State] knows of a rename.
	Tool drift.Key
	// NameOnServer is the name by which the tool's server knows it. It differs from Tool's where tools of several servers have one name, see
	// [activation.NewRoster]; empty where the call has no State with a roster.
	NameOnServer string
	// Arguments are what the tool is to get: the call's own, brought to the conversation's active version where a migration leads
	// there, and without a schema_version argument that names a version of the tool. They share memory with the call's.
	Arguments jsontext.Value
	// Verdict is what the call is, by the registry; its class is empty where the registry is not known or the call is too much to judge.
	// A class of [events.DriftSilentDefault] means that a default will silently take the place of what the model gave. Its Text says to
	// the model what is wrong with the call, for an agent that does not run calls which do not fit.
	Verdict drift.Verdict
	// Migration names the migration that was applied, such as v1-to-v2; empty when none was.
	Migration string
	// MigrationError is why the migration that is there was not applied; the arguments are as the model gave them then.
	MigrationError error
	// Cohort is canary or baseline while a new version is on trial, else empty.
	Cohort string
	// Probe says that the tool is disabled and that this one call is to show whether it works again.
	Probe bool
}

// Check decides, before the tool runs, whether and how the call may run. It looks the name up where the call has a [Call.State], else takes a
// server's name off it that the registry knows (see [drift.PlaceCall]), judges the
// arguments against the registry, migrates them where they are of an old version, and asks the switches whether the tool is disabled. The
// verdict goes into the call's event, values or not.
//
// A [*RefusedError] says that the tool is not to be run; its text is for the model, and an [*activation.Refusal] in its chain says which of
// five reasons it is where it is one of them. The call has ended then and its event is sent, with
// outcome refused and the reason as error_type. Nothing else is an error but [ErrEnded]: what is not known is allowed, unless
// [Config.FailClosed] says otherwise. It waits for nothing, except that a call of a disabled tool whose probe is due asks NATS for a second
// at most.
func (k *Call) Check(ctx context.Context) (Decision, error) {
	if k.ended.Load() {
		return Decision{}, ErrEnded
	}
	d, refusal := k.resolve()
	k.judgeIDs(d.Arguments)
	if refusal != nil {
		return d, k.refuse(&RefusedError{Reason: refusal.Reason, Name: refusal.Name, Server: refusal.Server, Unclear: refusal.Unclear})
	}
	if k.client == nil || k.client.s == nil || k.client.cfg.NoRegistry {
		return d, nil
	}
	k.judge(&d)
	silent := k.silentDefault(&d)
	refused := k.gate(ctx, &d, silent == nil)
	if refused == nil {
		refused = silent
	}
	if refused == nil {
		return d, nil
	}
	refused.Verdict, refused.Server = d.Verdict, d.Tool.Server
	return d, k.refuse(refused)
}

// refuse ends the call.
func (k *Call) refuse(e *RefusedError) error {
	e.Name = cmp.Or(e.Name, k.ToolCall.ToolName)
	k.End(events.OutcomeRefused, string(e.Reason))
	return e
}

// resolve looks the call's name up, and takes a bridge's call apart.
func (k *Call) resolve() (Decision, *activation.Refusal) {
	t := k.ToolCall
	d := Decision{Tool: drift.Key{Server: t.Server, Tool: cmp.Or(t.ResolvedName, t.ToolName)}, Arguments: k.arguments}
	if k.State == nil {
		if k.client != nil && k.client.s != nil {
			d.Tool = drift.PlaceCall(t, k.client.know.holds)
		}
		return d, nil
	}
	if t.Execution == executedByProvider {
		t.Resolution, t.ResolutionHow = events.ResolvedOK, activation.HowProvider
		return d, nil
	}
	res, bridge := k.State.ResolveCall(t.ToolName, k.arguments)
	refusal := k.State.RefusalOfCall(t.ToolName, res, bridge)
	if res.Resolution == "" && bridge.Bridge == "" {
		return d, refusal
	}
	t.Resolution, t.ResolutionHow, t.Bridge, t.Server = res.Resolution, res.How, bridge.Bridge, cmp.Or(res.Server, t.Server)
	meant := cmp.Or(res.Name, bridge.Name)
	if meant != t.ToolName {
		t.ResolvedName = meant
	}
	t.BridgedName = bridge.BridgedName(meant)
	if bridge.Bridge != "" {
		d.Arguments, t.ArgumentShape = bridge.Arguments, drift.Shape(bridge.Arguments)
	}
	d.Tool = drift.Key{Server: t.Server, Tool: cmp.Or(t.ResolvedName, t.ToolName)}
	if r := k.State.Roster(); r != nil {
		d.NameOnServer = r.NameOnServer(d.Tool.Tool)
	}
	return d, refusal
}

// executedByProvider is the execution of a tool that the provider ran itself: it is legal whatever the roster says.
const executedByProvider = "provider"

// judge holds the arguments against the registry, and migrates them.
func (k *Call) judge(d *Decision) {
	c, t := k.client, k.ToolCall
	ch, ok := c.choose(d.Tool, cmp.Or(t.ConversationID, c.cfg.Context.ConversationID))
	if !ok && !c.know.documents.ever() {
		return
	}
	d.Verdict = drift.Classify(ch.versions, drift.Call{Version: t.SchemaVersion, Arguments: d.Arguments, Migrated: t.Migration != ""})
	if ok && slices.ContainsFunc(t.ArgumentShape, isMasked) {
		t.ArgumentShape = ch.versions.Shape(d.Arguments)
	}
	if ok {
		k.migrate(d, ch.versions)
		d.Arguments = withoutClaim(d.Arguments, ch.doc)
		d.Cohort = ch.cohort
		t.Cohort = cmp.Or(t.Cohort, ch.cohort)
	}
	if d.Verdict.Class == "" {
		return
	}
	d.Verdict.Apply(t)
	if v := &d.Verdict; t.SchemaVersion == "" && (v.Claim != drift.ClaimUnknown || versionLike.MatchString(v.Claimed)) {
		t.SchemaVersion = v.Claimed
	}
	if t.Migration != "" {
		t.ValidationErrors = nil // the tool gets arguments that fit
	}
}

// isMasked reports that a place has a name that was taken for a value: the schema may know better.
func isMasked(a events.Argument) bool { return strings.Contains(a.Path, "/*") }

// versionLike is what a claim of a version that nobody registered looks like, such as v9, 2.1 or 2026-03-01. Anything else may be the value
// of an argument that happens to have the name, and stays with the agent.
var versionLike = regexp.MustCompile(`^v?[0-9]{1,6}([.-][0-9]{1,6}){0,3}$`)

// migrate brings arguments of another version to the active one.
func (k *Call) migrate(d *Decision, versions *drift.Versions) {
	from := versionToMigrate(&d.Verdict)
	if k.ToolCall.Migration != "" || !versions.CanMigrate(from) {
		return
	}
	m, err := versions.Migrate(from, claiming(d.Arguments, from))
	if err != nil {
		d.MigrationError = err
		k.client.cfg.Log.Debug("call can not be migrated", slog.String("tool", d.Tool.String()), slog.Any("error", err))
		return
	}
	d.Verdict = drift.Classify(versions, drift.Call{Version: k.ToolCall.SchemaVersion, Arguments: d.Arguments, Migrated: true})
	d.Arguments, d.Migration, k.ToolCall.Migration = m.Arguments, m.Name, m.Name
}

// versionToMigrate returns the version that arguments are of where it is not the active one; what the arguments fit counts more than what
// they claim.
func versionToMigrate(v *drift.Verdict) string {
	if v.Claim == drift.ClaimDisagrees {
		return v.Fits
	}
	if v.Class == events.DriftOldVersion || v.Class == events.DriftSilentDefault {
		return v.Version
	}
	return ""
}

// withoutClaim takes a schema_version argument out where it names one of the tool's versions: anything else may be an argument of the
// tool's own.
func withoutClaim(args jsontext.Value, doc *drift.Document) jsontext.Value {
	without, claim := withoutVersion(args)
	if claim == "" || doc.Version(claim) == nil {
		return args
	}
	return without
}

// silentDefault is the refusal of a call that a default would falsify, where the settings refuse those.
func (k *Call) silentDefault(d *Decision) *RefusedError {
	if d.Verdict.Class != events.DriftSilentDefault || !k.client.cfg.RefuseSilentDefaults {
		return nil
	}
	return &RefusedError{Reason: RefusalSilentDefault}
}

// gate asks the switches; a probe that is due is claimed only where the call would run.
func (k *Call) gate(ctx context.Context, d *Decision, would bool) *RefusedError {
	c, now := k.client, time.Now()
	if !c.switchesKnown(now) {
		if c.cfg.FailClosed {
			return &RefusedError{Reason: RefusalSwitchesUnknown}
		}
		return nil
	}
	sw, at := c.know.refusing(d.Tool, cmp.Or(k.ToolCall.AgentName, c.cfg.Context.AgentName), now)
	if sw == nil {
		return nil
	}
	if would && c.claimProbe(ctx, at, sw, now) {
		d.Probe = true
		return nil
	}
	return &RefusedError{Reason: RefusalDisabled, Switch: sw}
}
