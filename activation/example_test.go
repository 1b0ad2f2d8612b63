package activation_test

import (
	"fmt"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

func ExampleState() {
	roster := activation.NewRoster(activation.RosterInput{Tools: []activation.Tool{
		{Name: "web_search"}, {Name: "edit_file", Deferred: true},
	}})
	s := activation.NewState(roster)
	fmt.Println(s.Resolve("edit_file").Resolution)
	s.LoadNext("edit_file")
	s.Step()
	fmt.Println(s.Resolve("edit_file").Resolution)
	guess := s.Resolve("WebSearch")
	fmt.Println(guess.Resolution, guess.How, guess.Name)
	// Output:
	// not_activated
	// ok
	// guessed case web_search
}

func ExampleIDs() {
	ids := activation.NewIDs(events.Digester{}, activation.IDSettings{IncludeValues: true})
	ids.See("Please change my booking ZFA04Y.")
	ids.Learn(`{"reservation_id":"ZFA04Y","payment_id":"gift_card_5634230"}`)
	for _, m := range ids.Check([]byte(`{"reservation_id":"ZFA04Y","payment_id":"credit_card_5634230"}`)) {
		fmt.Println(m.Path, m.Value)
	}
	// Output: /payment_id credit_card_5634230
}
