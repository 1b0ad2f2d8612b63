package prefix

import "strings"

// cacheName is what tells the caches of models apart: the same for all names of one model at one provider.
type cacheName struct {
	provider, model string
	// day is the version in digits where the name has one.
	day string
}

// same reports whether two names may be of one model: a name without a version is that of any.
func (c cacheName) same(o cacheName) bool {
	return c.provider == o.provider && c.model == o.model && (c.day == o.day || c.day == "" || o.day == "")
}

// regions are what a model's name at Amazon Bedrock begins with where it is called across regions.
var regions = map[string]bool{
	"us": true, "us-gov": true, "eu": true, "apac": true, "jp": true, "au": true, "ca": true, "sa": true, "me": true, "af": true, "il": true,
	"global": true,
}

// cacheNameOf brings the names of a provider and a model into one form. A router's cache is not that of the provider which it passes requests on to,
// and what stands behind a colon is another model, but for Bedrock, where it counts versions.
func cacheNameOf(provider, model string) cacheName {
	c := cacheName{provider: ProviderName(provider), model: strings.ToLower(strings.TrimSpace(model))}
	if i := strings.LastIndexByte(c.model, '/'); i >= 0 {
		switch c.provider {
		case ProviderGemini, ProviderVertex, ProviderBedrock, ProviderName(c.model[:i]):
			c.model = c.model[i+1:]
		}
	}
	if c.provider == ProviderBedrock {
		if region, rest, ok := strings.Cut(c.model, "."); ok && regions[region] {
			c.model = rest
		}
		c.model, _, _ = strings.Cut(c.model, ":")
		c.model = bedrockVersion.ReplaceAllString(c.model, "")
	}
	if at := dated.FindStringIndex(c.model); at != nil {
		c.day = strings.NewReplacer("@", "", "-", "", "latest", "").Replace(c.model[at[0]:])
		c.model = c.model[:at[0]]
	}
	if i := strings.Index(c.model, "claude-"); i >= 0 {
		c.model = c.model[:i] + strings.ReplaceAll(c.model[i:], ".", "-")
	}
	return c
}
