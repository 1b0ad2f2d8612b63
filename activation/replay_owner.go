package activation

import "slices"

// Owner is a server's tool that a name may mean; the agent's own have no server.
type Owner struct{ Server, Tool string }

// Owners are the tools that bear a call's name in the roster in force, or are named by it with their server in front: loaded or not, permitted or
// not. There is none where no roster is known or has the name; there are several where servers have tools of one name.
func (r *Replay) Owners(c *ReplayCall, agent *RosterLine) []Owner {
	set := r.inForce(c, agent)
	if len(set.all) == 0 {
		return nil
	}
	in := set.all[0]
	var all []Owner
	for i := range in.Roster.tools {
		if t := &in.Roster.tools[i]; t.Name == c.Name {
			all = append(all, Owner{t.Server, t.Name})
		}
	}
	if i, ok := in.Roster.exact(c.Name); ok && len(all) == 0 {
		all = []Owner{{in.Roster.tools[i].Server, in.Roster.tools[i].Name}}
	}
	return slices.Compact(all)
}
