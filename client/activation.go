package client

import (
	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

// Load loads tools that the model asked for through the agent's activation tool, and emits the activation. It decides without the
// client, so that it works as well on one that was not started; [activation.Loaded.Text] is the answer for the model.
func (c *Client) Load(about events.Context, l *activation.Loader, names ...string) activation.Loaded {
	out := l.Load(names...)
	c.Activation(out.Event(about))
	return out
}

// Restore loads the tools that a saved conversation had loaded, each checked again, and emits the activation. What is in Refused was
// dropped: the agent tells the model, which may believe that it has it still.
func (c *Client) Restore(about events.Context, l *activation.Loader, saved []string) activation.Loaded {
	out := l.Restore(saved)
	c.Activation(out.Event(about))
	return out
}

// Mention loads the tools of a server that the user mentioned, and emits the activation.
func (c *Client) Mention(about events.Context, l *activation.Loader, m activation.Mention) activation.Loaded {
	out := l.Mention(m)
	a := out.Event(about)
	a.Server = m.Server
	c.Activation(a)
	return out
}
