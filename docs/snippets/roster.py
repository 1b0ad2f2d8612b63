"""Tell Tooltrail which tools a model has, from Python, with nothing but the standard library. It stands beside tooltrail.py."""
import hashlib, json, os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tooltrail import event, send

NAMED = {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
SCHEMAS = {"items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "additionalProperties", "unevaluatedProperties", "propertyNames",
           "if", "then", "else", "not", "allOf", "anyOf", "oneOf", "contentSchema"}


def written(value):
    """A JSON value as one text: sorted, no white space. That is RFC 8785 but for odd numbers (1.0, 1e30) and keys beyond U+FFFF."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def digest(data):
    return hashlib.sha256(data).hexdigest()


def without_notes(schema):
    """A schema without what only describes: two schemas that accept the same arguments have one digest."""
    if isinstance(schema, list):
        return [without_notes(s) for s in schema]
    if not isinstance(schema, dict):
        return schema
    return {k: {n: without_notes(s) for n, s in v.items()} if k in NAMED and isinstance(v, dict) else without_notes(v) if k in SCHEMAS else v
            for k, v in schema.items() if k not in ("description", "title", "examples")}


def digests(definition, sent):
    """The three digests of a tool. definition is {"name", "description", "input_schema"}; sent are its bytes in the request's tools array."""
    plain = {k: v for k, v in definition.items() if k not in ("cache_control", "defer_loading")}
    return {"wire_digest": digest(sent), "definition_digest": digest(written(plain)),
            "schema_digest": digest(written(without_notes(definition.get("input_schema", {}))))}


def tell(context, tools, text):
    """The events for one list: a tool_definition each and the tool_roster. tools are (server, definition, deferred); text is what the model reads."""
    entries, events = [], []
    for server, definition, deferred in tools:
        of = digests(definition, json.dumps(definition).encode())
        owner = {"server": server} if server else {}
        entries.append({"name": definition["name"], "deferred": deferred, **owner, **of})
        events.append(event("tool_definition", **context, tool_name=definition["name"], definition=definition, **owner, **of))
    encoded = text.encode()
    events.append(event("tool_roster", **context, reason="deploy", tools=entries, text_digest=digest(encoded), text_length=len(encoded),
                        roster_digest=digest(encoded + written(entries))))
    return events


if __name__ == "__main__":
    agent = {"agent_name": "example", "conversation_id": "c-1"}
    cancel = {"name": "cancel_order", "description": "Cancel an order that was not sent yet.", "input_schema": {
        "type": "object", "properties": {"order_id": {"type": "string", "description": "From find_orders."}}, "required": ["order_id"]}}
    load = {"name": "load_tools", "description": "Load tools by exact name.", "input_schema": {"type": "object", "properties": {"names": {"type": "array"}}}}
    text = "Tools that can be loaded:\n- cancel_order(order_id): Cancel an order that was not sent yet."
    shown = tell(agent, [("shop", cancel, True), ("", load, False)], text)
    # The model asks for the tool in its first message, and calls it in its second. What it read and wrote in the first is the price of the trip.
    loaded = event("activation", **agent, turn=1, via="activation_tool", asked=["cancel_order"], loaded=["cancel_order"], input_tokens=900, output_tokens=30)
    # Leave arguments out where they must not leave the agent: then nobody holds them against the tool's schema.
    called = event("tool_call", **agent, turn=2, tool_name="cancel_order", server="shop", outcome="ok", arguments={"order_id": "4711"})
    print(json.dumps(send([*shown, loaded, called])))
