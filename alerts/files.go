package alerts

import "fmt"

// Files renders every file, by its path below alerts/rendered.
func Files(c Config) (map[string][]byte, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("check alert settings: %w", err)
	}
	files := map[string][]byte{}
	for name, make := range map[string]func(Config) ([]byte, error){
		"rules.yml": Rules, "alertmanager.yml": Routing, "grafana/alerts.yml": Grafana,
	} {
		b, err := make(c)
		if err != nil {
			return nil, fmt.Errorf("render %s: %w", name, err)
		}
		files[name] = b
	}
	return files, nil
}
