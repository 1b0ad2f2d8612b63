package prefix

import "strings"

// API is the shape of a request body.
type API string

// The shapes that [Split] tells apart.
const (
	APIMessages  API = "messages"         // Anthropic Messages
	APIChat      API = "chat_completions" // OpenAI Chat Completions and its many followers
	APIResponses API = "responses"        // OpenAI Responses
	APIGenerate  API = "generate_content" // Gemini generateContent
	APIConverse  API = "converse"         // Amazon Bedrock Converse
)

// Provider names, as the OpenTelemetry GenAI conventions spell those they know.
const (
	ProviderAnthropic  = "anthropic"
	ProviderOpenAI     = "openai"
	ProviderGemini     = "gcp.gemini"
	ProviderVertex     = "gcp.vertex_ai"
	ProviderBedrock    = "aws.bedrock"
	ProviderOpenRouter = "openrouter"
	ProviderDeepSeek   = "deepseek"
	ProviderMistral    = "mistral_ai"
	ProviderAzure      = "azure.ai.openai"
)

var providerAliases = map[string]string{
	"google": ProviderGemini, "gemini": ProviderGemini, "google-gla": ProviderGemini, "gcp.gen_ai": ProviderGemini,
	"vertex": ProviderVertex, "vertexai": ProviderVertex, "vertex_ai": ProviderVertex, "google-vertex": ProviderVertex,
	"bedrock": ProviderBedrock, "aws": ProviderBedrock, "amazon-bedrock": ProviderBedrock, "amazon_bedrock": ProviderBedrock,
	"mistral": ProviderMistral, "mistralai": ProviderMistral,
	"azure": ProviderAzure, "az.ai.openai": ProviderAzure, "azure_openai": ProviderAzure, "azure.openai": ProviderAzure,
	"claude": ProviderAnthropic, "openai-responses": ProviderOpenAI, "openai-chat": ProviderOpenAI,
}

// ProviderName returns the name that events use for a provider; a name it does not know stays, in lower case.
func ProviderName(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if n, ok := providerAliases[name]; ok {
		return n
	}
	return name
}

// pathParts are what tells a provider in a URL or path, the more certain first.
var pathParts = []struct{ part, provider string }{
	{"openrouter.ai", ProviderOpenRouter},
	{"api.deepseek.com", ProviderDeepSeek},
	{"api.mistral.ai", ProviderMistral},
	{"openai.azure.com", ProviderAzure},
	{"aiplatform.googleapis.com", ProviderVertex},
	{"generativelanguage.googleapis.com", ProviderGemini},
	{"bedrock-runtime", ProviderBedrock},
	{"api.anthropic.com", ProviderAnthropic},
	{"api.openai.com", ProviderOpenAI},
	{"/publishers/", ProviderVertex},
	{":generatecontent", ProviderGemini},
	{":streamgeneratecontent", ProviderGemini},
	{"/cachedcontents", ProviderGemini},
	{"/converse", ProviderBedrock},
	{"/invoke", ProviderBedrock},
	{"/openai/deployments/", ProviderAzure},
	{"/api/v1/chat/completions", ProviderOpenRouter},
	{"/api/v1/responses", ProviderOpenRouter},
	{"/v1/messages", ProviderAnthropic},
	{"/v1/responses", ProviderOpenAI},
	{"/v1/chat/completions", ProviderOpenAI},
}

// ProviderOfPath returns the provider that a request's URL or path tells, and "" when it tells none.
func ProviderOfPath(path string) string {
	path = strings.ToLower(path)
	for _, p := range pathParts {
		if strings.Contains(path, p.part) {
			return p.provider
		}
	}
	return ""
}

// ModelOfPath returns the model that a path names (/models/MODEL:generateContent, /model/MODEL/converse), and "" when it names
// none.
func ModelOfPath(path string) string {
	if i := strings.LastIndex(path, "/models/"); i >= 0 {
		m, _, _ := strings.Cut(path[i+len("/models/"):], ":")
		m, _, _ = strings.Cut(m, "/")
		return m
	}
	if i := strings.LastIndex(path, "/model/"); i >= 0 {
		m, _, _ := strings.Cut(path[i+len("/model/"):], "/")
		return strings.ReplaceAll(m, "%3A", ":")
	}
	return ""
}

// sights are the things seen in a body that tell its shape, or that count as parameters.
type sights uint32

const (
	sawContents sights = 1 << iota
	sawInput
	sawConverse
	sawVersion
	sawMessages
	sawSchema
	sawDeclarations
	sawImage
	sawCitations
	sawWebSearch
	// sawOfTools are those that a tools array tells.
	sawOfTools = sawSchema | sawDeclarations | sawWebSearch
)

// sight is what a member tells by being there.
func sight(name string) sights {
	switch name {
	case "contents", "systemInstruction", "system_instruction":
		return sawContents
	case "input", "instructions", "previous_response_id":
		return sawInput
	case "inferenceConfig", "toolConfig.tools", "additionalModelRequestFields":
		return sawConverse
	case "anthropic_version":
		return sawVersion
	case "system", "stop_sequences":
		return sawMessages
	}
	return 0
}

// settle returns the provider and the shape, from the provider's name as given and from what was seen of the body.
func settle(provider, model string, s sights) (string, API) {
	provider = ProviderName(provider)
	api := s.api(provider)
	if provider != "" {
		return provider, api
	}
	switch api {
	case APIMessages:
		return ProviderAnthropic, api
	case APIGenerate:
		return ProviderGemini, api
	case APIConverse:
		return ProviderBedrock, api
	}
	return providerOfModel(model), api
}

// api tells the shape. Chat Completions, Anthropic Messages and Bedrock Converse all have messages: members that only one of
// them has decide, and then who was asked.
func (s sights) api(provider string) API {
	switch {
	case s&(sawContents|sawDeclarations) != 0:
		return APIGenerate
	case s&sawInput != 0:
		return APIResponses
	case s&sawConverse != 0:
		return APIConverse
	case provider == ProviderBedrock && s&sawVersion == 0:
		return APIConverse
	case provider == ProviderAnthropic, s&(sawVersion|sawMessages|sawSchema) != 0:
		return APIMessages
	}
	return APIChat
}

// modelParts are what tells a provider in a model's name, where nothing else does.
var modelParts = []struct{ prefix, provider string }{
	{"claude", ProviderAnthropic}, {"deepseek", ProviderDeepSeek}, {"mistral", ProviderMistral}, {"codestral", ProviderMistral},
	{"gemini", ProviderGemini},
}

// providerOfModel guesses who serves a model in OpenAI's shapes: a name with a maker before a slash is OpenRouter's way.
func providerOfModel(model string) string {
	if strings.Contains(model, "/") {
		return ProviderOpenRouter
	}
	for _, p := range modelParts {
		if strings.HasPrefix(model, p.prefix) {
			return p.provider
		}
	}
	return ProviderOpenAI
}
