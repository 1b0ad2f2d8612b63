// What an agent does with Tooltrail's registry documents and switches, with no package. It is JavaScript too.
// Read them from the NATS buckets tooltrail_registry and tooltrail_breaker; docs/registry-format.md says what is in them.
import { createHash } from "node:crypto";

/** The bucket's key of a server and a tool, or of a server, a tool and an agent. */
export function key(...names) {
  const hex = (c) => [...Buffer.from(c)].map((b) => "=" + b.toString(16).padStart(2, "0")).join("");
  return names.map((n) => n.replace(/[^A-Za-z0-9_-]/gu, hex) || "=").join(".");
}

/** Whether a conversation is in the canary's share. */
export function inCanary(document, conversation) {
  const canary = document.canary;
  if (!canary || !conversation) return false;
  const digest = createHash("sha256").update(`${canary.hash_key}/${conversation}`).digest();
  return canary.share >= 1 || digest.readBigUInt64BE() < BigInt(Math.floor(canary.share * 2 ** 64));
}

/** The version that a conversation should see, and its cohort; undefined where no version is active. */
export function versionFor(document, conversation) {
  const state = inCanary(document, conversation) ? "canary" : "active";
  const cohort = document.canary ? (state === "canary" ? "canary" : "baseline") : "";
  return { version: document.versions.find((v) => v.state === state), cohort };
}

/** Whether a switch refuses calls. Ask for the tool's and for the tool's with the agent; either refuses. */
export function refuses(sw, now = Date.now()) {
  if (!sw || sw.state === "enabled") return false;
  return !sw.until || now < Date.parse(sw.until);
}

/** The shortest list of migrations from one version to another; undefined when there is none. */
export function chain(document, source, target) {
  const ways = [[source, []]];
  for (const [at, soFar] of ways) { // grows while it is read
    for (const m of document.migrations ?? []) {
      if (m.from !== at || ways.some(([seen]) => seen === m.to)) continue;
      if (m.to === target) return [...soFar, m];
      ways.push([m.to, [...soFar, m]]);
    }
  }
}

/** The arguments brought from one version to another. Validate the result; where that fails, or this throws, use what you had. */
export function migrate(document, source, target, args) {
  const migrations = chain(document, source, target);
  if (!migrations) throw new Error("no migration leads there");
  const root = structuredClone(args);
  for (const { from, to, steps, ...more } of migrations) {
    for (const step of steps) {
      const unknown = Object.keys(step).some((name) => !members.includes(name)) || !operations.includes(step.op);
      if (unknown || Object.keys(more).length > 0) throw new Error("written for a newer program");
      apply(step, root);
    }
  }
  return root;
}

const operations = ["rename", "move", "default", "drop", "map"], members = ["op", "path", "to", "value", "values"];

const isObject = (v) => typeof v === "object" && v !== null && !Array.isArray(v);
const has = (v, name) => Object.hasOwn(v, name);
const pointer = (text) => text.split("/").slice(1).map((p) => p.replaceAll("~1", "/").replaceAll("~0", "~"));

/** One step, at every place that its path leads to. */
function apply(step, root) {
  const path = pointer(step.path), name = path.pop();
  for (const parent of places(root, path)) {
    if (!isObject(parent) || has(parent, name) === (step.op === "default")) continue;
    const value = parent[name], text = typeof value === "string" ? value : JSON.stringify(value);
    if (step.op === "default") set(parent, name, structuredClone(step.value));
    else if (step.op === "drop") delete parent[name];
    else if (step.op === "map") {
      if ((value === null || typeof value !== "object") && has(step.values, text)) parent[name] = structuredClone(step.values[text]);
    } else if (step.op === "rename") put(parent, pointer(step.to).pop(), parent, name);
    else {
      const way = pointer(step.to), to = way.pop();
      put(make(root, way), to, parent, name);
    }
  }
}

/** The values that a path leads to; * is every item of a list. */
function places(at, [part, ...rest]) {
  if (part === undefined) return [at];
  if (Array.isArray(at) && part === "*") return at.flatMap((item) => places(item, rest));
  if (Array.isArray(at)) return /^(0|[1-9][0-9]*)$/.test(part) && part < at.length ? places(at[part], rest) : [];
  return isObject(at) && has(at, part) ? places(at[part], rest) : [];
}

/** The object at the end of a way; objects that are missing are made. */
function make(at, way) {
  for (const part of way) {
    if (isObject(at) && !has(at, part)) set(at, part, {});
    [at] = places(at, [part]);
  }
  if (!isObject(at)) throw new Error("no object there");
  return at;
}

function put(into, to, parent, name) {
  if (has(into, to)) throw new Error(`there is a value already: ${to}`);
  const value = parent[name];
  delete parent[name];
  set(into, to, value);
}

/** Sets a member of any name, __proto__ included. */
const set = (into, name, value) => Object.defineProperty(into, name, { value, writable: true, enumerable: true, configurable: true });
