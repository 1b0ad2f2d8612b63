package client_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

func TestAToolOfANameThatTwoServersHaveIsRunOnTheServerThatItsNameSays(t *testing.T) {
	def := jsontext.Value(`{"name":"get_order"}`)
	r := activation.NewRoster(activation.RosterInput{Tools: []activation.Tool{
		{Name: "get_order", Server: "shop", Definition: def}, {Name: "get_order", Server: "crm", Definition: def},
	}})
	var c *client.Client
	check := func(name string) (client.Decision, error) {
		call := c.ToolCallStart(events.Context{}, name, nil)
		call.State = activation.NewState(r)
		return call.Check(t.Context())
	}
	d, err := check("crm__get_order")
	if want := (drift.Key{Server: "crm", Tool: "crm__get_order"}); err != nil || d.Tool != want || d.NameOnServer != "get_order" {
		t.Errorf("have %+v, %v", d, err)
	}
	if _, err := check("get_order"); err == nil {
		t.Error("a name of two tools was let through")
	}
}
