package prefix_test

// whyVerdicts says of each recorded conversation why its verdicts are right.
var whyVerdicts = map[string]string{
	"test_cache_prefix_stability/test_anthropic_thinking_agui_0_1_10_drops_prefix": "Prompts of 51 and 107 tokens are far below the 1,024 that this model caches. " +
		"The third sends the answer back otherwise than it came, as the conversation's name says: a risk that costs nothing yet.",
	"test_cache_prefix_stability/test_anthropic_thinking_roundtrip_wire_stable[vercel]": "The same with an answer that is sent back as it came: three short prompts, the last " +
		"the same as the second, and nothing changed.",
	"test_cache_prefix_stability/test_openai_tool_call_roundtrip_wire_stable[vercel]": "Prompts of 48 to 74 tokens. The third leaves out the only tool and with it the choice of tools; " +
		"a prompt that could be cached would have broken there.",
	"test_code_execution_files_vcr/test_anthropic_code_execution_files_cache_prefix_stable[automatic-sonnet-5]": "The marker moves from the first message to the third, and that changes no " +
		"message. Usage of the first adds up several turns of the provider's own tool, so that it left more than the second had to read: that one read all but 383 tokens of its prompt.",
	"test_code_execution_files_vcr/test_anthropic_code_execution_files_cache_prefix_stable[messages-sonnet-5]": "The same as the one above but for where the marker stands, in the message and not beside it, " +
		"and the same verdicts: no message changed.",
	"test_temporal/test_mcp_tools_cached_across_activities": "Nineteen tools and still only 364 to 448 tokens, under the 1,024 that are cached. The tools stay as they are.",
	"test_tool_search/test_anthropic_custom_callable_round_trip": "The tool that was found is deferred, so it is not part of the tools, and they do not change. No marker was set: nothing was written, " +
		"so nothing could be read when the prompt passed 1,024 tokens.",
	"test_tool_search/test_anthropic_native_tool_search_round_trip":            "Deferred tools are present and one is found: nothing changed before the messages, and nothing was in the cache.",
	"test_tool_search/test_anthropic_promotes_local_search_history_round_trip": "Begins with a history that another search has left; 880 and 979 tokens are below the minimum.",
	"test_tool_search/test_cross_provider_capability_replay[anthropic-claude-sonnet-4-5-openai-responses-gpt-5.4]": "The fourth request is the other provider's. It has the same history " +
		"in another form, so its tools and parameters say nothing; no cache of that model held any of it.",
	"test_tool_search/test_cross_provider_capability_replay[google-gemini-3-flash-preview-openai-responses-gpt-5.4]": "A tool that was loaded is added in the second request, and the result " +
		"before it names the tool; the prompt is short, so it is a risk. The fourth is a hand-over.",
	"test_tool_search/test_cross_provider_capability_replay[openai-responses-gpt-5.4-google-gemini-3-flash-preview]": "Here the tool comes inside the messages, which changes no tools. The fourth " +
		"is a hand-over the other way, to a provider that gets it among its tools.",
	"test_tool_search/test_live_fallback_failover_capability_load_and_recovery": "The second request, in the same second, carries the answer to the first and goes to another provider: a hand-over, " +
		"not two first requests at once.",
	"test_tool_search/test_live_tool_search_handoff_anthropic_to_openai": "A hand-over at the third request, with other tools for the search in each provider's form: the model changed, and not the tools. " +
		"The second is shorter than the first, whose usage adds up the turns of the provider's own search.",
	"test_tool_search/test_openai_client_tool_search_streaming":                               "What the search found stands in the messages; the two tools stay. 234 to 477 tokens.",
	"test_tool_search/test_openai_execution_client_round_trip":                                "The same without a stream, and the same verdicts.",
	"test_tool_search/test_openai_hosted_tool_search_stateless_continuation_without_item_ids": "The provider searched; the history was sent back without its ids and extends what came before. Short prompts.",
	"test_tool_search/test_openai_native_tool_search_round_trip":                              "Deferred tools are no part of the prefix, so the one that was found changes nothing. Short prompts.",
	"test_tool_search/test_openai_native_tool_search_with_deferred_capability":                "Two loads, one by search and one inside the messages, neither of which changes the tools. Short prompts.",
	"test_tool_search/test_openai_promotes_local_search_history_round_trip":                   "Begins with a history that another search has left. Short prompts.",
	"test_tool_search/test_tool_search_eval[google]": "Four questions of one evaluation, each a new start with one message: cold starts, and not changes of what came before. Within the first two a search adds a tool, and " +
		"the result names it; in the last one nothing is found.",
	"test_anthropic/test_anthropic_cache_bedrock_real_api":                                                   "The first read all of its system prompt from a cache of before this recording and wrote nothing; the second read as much and wrote the answer.",
	"test_anthropic/test_anthropic_cache_real_api":                                                           "The same at the provider itself: 1,111 tokens read both times.",
	"test_anthropic/test_anthropic_deferred_capability_tool_callable_without_tool_search":                    "A deferred tool is present and is loaded: the tools of the prefix stay, no break. 658 to 988 tokens.",
	"test_anthropic/test_anthropic_deferred_capability_without_tool_search_across_models[claude-haiku-4-5]":  "The same with a model whose minimum is higher.",
	"test_anthropic/test_anthropic_deferred_capability_without_tool_search_across_models[claude-sonnet-4-6]": "The same with another model.",
	"test_anthropic/test_anthropic_explicit_tool_search_keeps_search_surface": "The search tool and one other stay where they are. The third prompt is just over 1,024 tokens, and since no marker was set " +
		"nothing had been written that it could have read.",
	"test_deepseek/test_deepseek_deferred_capability_with_thinking": "Loading a capability takes the tools from 2 to 4, and what was read from 512 to 0: the two new ones stand in the middle. " +
		"Then the new prefix is read, 896 tokens.",
	"test_openai_prompt_cache/test_openai_chat_prompt_cache_e2e":          "The same prompt twice, with a marker: written, then read whole.",
	"test_openai_prompt_cache/test_openrouter_responses_prompt_cache_e2e": "The same by way of a router, which passes the usage on.",
	"test_cache/test_google_model_cached_content": "The first makes an explicit cache of 3,512 tokens. The two others name it in place of what it holds, with a question each, and read all of it: they " +
		"continue the cache, not each other.",
}
