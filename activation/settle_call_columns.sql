    toString(lane) AS of_lane, seq AS of_seq, pos AS of_pos, ingested_at AS stored, toString(id) AS event, toString(source) AS of_source, time AS at,
    toString(agent_name) AS agent, toString(agent_version) AS version, toString(environment) AS env, toString(team) AS of_team,
    toString(conversation_id) AS conversation, turn AS of_turn, toString(request_id) AS request, toString(provider_name) AS provider,
    toString(request_model) AS model, toString(tool_name) AS tool, toString(server) AS of_server, toString(execution) AS ran_by,
    if(arrayExists(b -> endsWith(toString(tool_name), b), CAST(? AS Array(String))), arguments, '') AS args,
    input_tokens AS t_in, output_tokens AS t_out
