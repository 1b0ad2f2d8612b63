// Publish events to Tooltrail from TypeScript, with no package. It is JavaScript too; Node 20 or newer runs it with
// node --input-type=module < docs/snippets/tooltrail.ts, and Node 22.18 or newer with node docs/snippets/tooltrail.ts.
import { randomUUID } from "node:crypto";

const url = (process.env.TOOLTRAIL_URL ?? "http://127.0.0.1:8090") + "/v1/events";
const headers = { authorization: `Bearer ${process.env.TOOLTRAIL_INTAKE_TOKEN ?? ""}` };

/** One event; kind is tool_call, activation, request_prefix, tool_roster or tool_definition. */
export function event(kind = "tool_call", data = {}) {
  const time = new Date().toISOString();
  return { specversion: "1.0", id: randomUUID(), source: "agent/example", type: `dev.tooltrail.${kind}.v1`, time, data };
}

/** Resolves once the events are safe. The same events sent again count once, so any failure may be tried again. */
export async function send(events = [event()], giveUpAfter = 60_000) {
  const body = events.map((e) => JSON.stringify(e)).join("\n");
  const deadline = Date.now() + giveUpAfter;
  for (let wait = 100; ; wait = Math.min(2 * wait, 5_000)) {
    const answer = await fetch(url, { method: "POST", body, headers, signal: AbortSignal.timeout(15_000) }).catch(() => null);
    if (answer?.ok) return await answer.json(); // {"accepted": 2, "errors": []}; 207 lists the lines that were refused
    if (answer && answer.status < 500) throw new Error(await answer.text());
    if (Date.now() > deadline) throw new Error("Tooltrail does not answer");
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

const call = { conversation_id: "c-1", agent_name: "example", server: "shop", tool_name: "search_orders" };
console.log(JSON.stringify(await send([
  event("tool_call", { ...call, outcome: "ok", duration_seconds: 0.2 }),
  event("tool_call", { ...call, outcome: "execution_error", error_type: "timeout" }),
])));
