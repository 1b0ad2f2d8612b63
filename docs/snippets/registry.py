"""What an agent does with Tooltrail's registry documents and switches, with nothing but the standard library.

Read them from the NATS buckets tooltrail_registry and tooltrail_breaker; docs/registry-format.md says what is in them."""
import copy, datetime, hashlib, json, re


def key(*names):
    """The bucket's key of a server and a tool, or of a server, a tool and an agent."""
    part = lambda n: re.sub(rb"[^A-Za-z0-9_-]", lambda m: b"=%02x" % m[0][0], n.encode()).decode() or "="
    return ".".join(part(n) for n in names)


def in_canary(document, conversation):
    """Whether a conversation is in the canary's share."""
    canary = document.get("canary")
    if not canary or not conversation:
        return False
    digest = hashlib.sha256(f"{canary['hash_key']}/{conversation}".encode()).digest()
    return canary["share"] >= 1 or int.from_bytes(digest[:8], "big") < int(canary["share"] * 2**64)


def version_for(document, conversation):
    """The version that a conversation should see, and its cohort; None where no version is active."""
    state = "canary" if in_canary(document, conversation) else "active"
    version = next((v for v in document["versions"] if v["state"] == state), None)
    return version, (("canary" if state == "canary" else "baseline") if document.get("canary") else "")


def refuses(switch, now=None):
    """Whether a switch refuses calls. Ask for the tool's and for the tool's with the agent; either refuses."""
    now = now or datetime.datetime.now(datetime.timezone.utc)
    if not switch or switch["state"] == "enabled":
        return False
    return "until" not in switch or now < time_of(switch["until"])


def time_of(text):
    """A time of the buckets, which have up to nine digits after the second."""
    return datetime.datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text.replace("Z", "+00:00")))


def chain(document, source, target):
    """The shortest list of migrations from one version to another; None when there is none."""
    ways = [(source, [])]
    for at, so_far in ways:  # grows while it is read
        for m in document.get("migrations", []):
            if m["from"] != at or any(m["to"] == seen for seen, _ in ways):
                continue
            if m["to"] == target:
                return so_far + [m]
            ways.append((m["to"], so_far + [m]))
    return None


def migrate(document, source, target, arguments):
    """The arguments brought from one version to another. Validate the result; where that fails, or this raises, use what you had."""
    steps = chain(document, source, target)
    if not steps:
        raise ValueError("no migration leads there")
    root = copy.deepcopy(arguments)
    for migration in steps:
        for step in migration["steps"]:
            if migration.keys() - {"from", "to", "steps"} or step.keys() - MEMBERS or step["op"] not in OPERATIONS:
                raise ValueError("written for a newer program")
            apply(step, root)
    return root


OPERATIONS = {"rename", "move", "default", "drop", "map"}
MEMBERS = {"op", "path", "to", "value", "values"}


def apply(step, root):
    """One step, at every place that its path leads to."""
    *path, name = pointer(step["path"])
    for parent in places(root, path):
        if not isinstance(parent, dict) or (name in parent) == (step["op"] == "default"):
            continue
        if step["op"] == "default":
            parent[name] = copy.deepcopy(step["value"])
        elif step["op"] == "drop":
            del parent[name]
        elif step["op"] == "map":
            value = parent[name]
            text = value if isinstance(value, str) else json.dumps(value)
            if not isinstance(value, (dict, list)) and text in step["values"]:
                parent[name] = copy.deepcopy(step["values"][text])
        elif step["op"] == "rename":
            put(parent, pointer(step["to"])[-1], parent, name)
        else:
            *way, to = pointer(step["to"])
            put(make(root, way), to, parent, name)


def pointer(text):
    return [p.replace("~1", "/").replace("~0", "~") for p in text.split("/")[1:]]


def places(at, path):
    """The values that a path leads to; * is every item of a list."""
    if not path:
        return [at]
    if isinstance(at, list) and path[0] == "*":
        return [p for item in at for p in places(item, path[1:])]
    if isinstance(at, list) and re.fullmatch("0|[1-9][0-9]*", path[0]) and int(path[0]) < len(at):
        return places(at[int(path[0])], path[1:])
    return places(at[path[0]], path[1:]) if isinstance(at, dict) and path[0] in at else []


def make(at, way):
    """The object at the end of a way; objects that are missing are made."""
    for part in way:
        if isinstance(at, dict):
            at.setdefault(part, {})
        at = (places(at, [part]) or [None])[0]
    if not isinstance(at, dict):
        raise ValueError("no object there")
    return at


def put(into, to, parent, name):
    if to in into:
        raise ValueError(f"there is a value already: {to}")
    into[to] = parent.pop(name)
