package dashboards

import (
	"encoding/json"
	"fmt"

	"github.com/tooltrail/tooltrail/panels"
)

// Render returns the files of the dashboards by their names.
func Render(cfg Config) (map[string][]byte, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, v := range panels.Views() {
		d, err := Build(cfg, v)
		if err != nil {
			return nil, err
		}
		b, err := json.MarshalIndent(d, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("write dashboard %s: %w", v.ID, err)
		}
		files[v.ID+".json"] = append(b, '\n')
	}
	return files, nil
}
