"""Publish events to Tooltrail from Python, with nothing but the standard library."""
import json, os, time, uuid, datetime, urllib.error, urllib.request

URL = os.environ.get("TOOLTRAIL_URL", "http://127.0.0.1:8090") + "/v1/events"
TOKEN = os.environ.get("TOOLTRAIL_INTAKE_TOKEN", "")


def event(kind, **data):
    """One event; kind is tool_call, activation, request_prefix, tool_roster or tool_definition."""
    now = datetime.datetime.now(datetime.timezone.utc).isoformat()
    return {"specversion": "1.0", "id": str(uuid.uuid4()), "source": "agent/example",
            "type": f"dev.tooltrail.{kind}.v1", "time": now, "data": data}


def send(events, give_up_after=60):
    """Returns once the events are safe. The same events sent again count once, so any failure may be tried again."""
    body = "\n".join(json.dumps(e) for e in events).encode()
    request = urllib.request.Request(URL, body, {"Authorization": f"Bearer {TOKEN}"})
    deadline, wait = time.monotonic() + give_up_after, 0.1
    while True:
        try:
            with urllib.request.urlopen(request, timeout=15) as answer:
                return json.load(answer)  # {"accepted": 2, "errors": []}; 207 lists the lines that were refused
        except urllib.error.HTTPError as refused:
            if refused.code < 500 or time.monotonic() > deadline:
                raise RuntimeError(refused.read().decode()) from refused
        except OSError:
            if time.monotonic() > deadline:
                raise
        time.sleep(wait)
        wait = min(2 * wait, 5)


if __name__ == "__main__":
    call = {"conversation_id": "c-1", "agent_name": "example", "server": "shop", "tool_name": "search_orders"}
    print(json.dumps(send([event("tool_call", outcome="ok", duration_seconds=0.2, **call),
                           event("tool_call", outcome="execution_error", error_type="timeout", **call)])))
