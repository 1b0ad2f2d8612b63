multiIf(bridged_name != '', bridged_name, bridge = '' OR resolved_name = '' OR resolution IN ('guessed', 'prefix_repair'), tool_name, resolved_name)
