import type { Json } from "../../../src/core/values/json.ts";
import type { Incoming, Judged, Refusal, VendorApi, World } from "./exchange.ts";
import { type Fault, type Faults, faultMessage } from "./faults.ts";
import type { RecordedRequest } from "./recording.ts";
import type { Script, ScriptedReply, ViewedCall, ViewedMessage } from "./view.ts";

/** The HTTP response. */
export interface HttpAnswer {
  status: number;
  headers: Record<string, string>;
  /** Whole, or in the pieces of an event stream. */
  body: string[];
  /** The connection breaks after the last piece. */
  cut: boolean;
}

/** Context of an answer in addition to the world. */
export interface Desk {
  world: World;
  script: Script;
  faults: Faults;
  /** Answers that were given with reasoning, by model and content. */
  issued: Set<string>;
}

/** Judges a request, asks the script, and puts its reply into the vendor's shape. */
export function answerRequest(
  incoming: Incoming,
  api: VendorApi,
  desk: Desk,
): { answer: HttpAnswer; record: RecordedRequest } {
  const judged = api.judge(incoming, desk.world);
  const record = begin(incoming, api, judged, desk);
  const fault = desk.faults.take(api.vendor, judged.model);
  const refuse = (outcome: RecordedRequest["outcome"], status: number, refusal: Refusal, more = {}) => {
    Object.assign(record, { outcome, status });
    return { answer: whole(status, api.error(status, refusal, incoming), more), record };
  };
  if (fault !== undefined && fault.kind !== "cut") {
    return refuse("faulted", fault.kind, { rule: "fault", message: faultMessage(fault) }, retryAfter(fault));
  }
  const [first] = judged.refused;
  if (first !== undefined) return refuse("refused", first.status ?? 400, first);
  const reply = desk.script(judged.view);
  record.reply = reply;
  const wrong = impossibleCall(judged, reply);
  if (wrong !== undefined) return refuse("broken", 500, { rule: "script", message: wrong });
  return { answer: speak(judged, reply, record, desk, fault !== undefined), record };
}

function begin(incoming: Incoming, { vendor }: VendorApi, judged: Judged, desk: Desk): RecordedRequest {
  const { model, stream, refused, dropped, view } = judged;
  const omitted = view.messages.filter(
    (message) => !message.reasoned && desk.issued.has(contentKey(vendor, model, message)),
  );
  return {
    ...incoming,
    vendor,
    model,
    stream,
    at: desk.world.now(),
    status: 200,
    outcome: "answered",
    refused,
    dropped,
    reasoning_lost: dropped.filter(({ reason }) => reason !== "model").length,
    reasoning_omitted: omitted.length,
    view,
  };
}

function speak(
  judged: Judged,
  reply: ScriptedReply,
  record: RecordedRequest,
  desk: Desk,
  cut: boolean,
): HttpAnswer {
  const prompt = judged.count();
  const spoken = judged.speak(reply, prompt);
  record.usage = { ...prompt, output: spoken.output, reasoning: spoken.reasoning };
  if (cut) record.outcome = "faulted";
  else if (spoken.carries_reasoning) {
    const message = { role: "assistant", text: reply.text ?? "", calls: reply.calls ?? [] } as const;
    desk.issued.add(contentKey(record.vendor, record.model, message));
  }
  if (!judged.stream) {
    const text = JSON.stringify(spoken.json);
    return { ...whole(200, spoken.json), body: [cut ? text.slice(0, text.length / 2) : text], cut };
  }
  const body = cut ? spoken.events.slice(0, Math.ceil(spoken.events.length / 2)) : spoken.events;
  return { status: 200, headers: { "content-type": "text/event-stream" }, body, cut };
}

function whole(status: number, json: Json, more: Record<string, string> = {}): HttpAnswer {
  const headers = { "content-type": "application/json", ...more };
  return { status, headers, body: [JSON.stringify(json)], cut: false };
}

function retryAfter({ retry_after }: Fault): Record<string, string> {
  return retry_after === undefined ? {} : { "retry-after": String(retry_after) };
}

/** Why a model could not make the calls of this reply. */
function impossibleCall({ view }: Judged, { calls = [] }: ScriptedReply): string | undefined {
  if (calls.length > 0 && !view.may_call) return "The script calls a tool, but the request forbids calls.";
  const names = new Set(view.tools.map(({ name }) => name));
  const missing = calls.find(({ name, invented }) => invented !== true && !names.has(name));
  if (missing === undefined) return undefined;
  return `The script calls ${missing.name}, which is not available. Available: ${[...names].join(", ")}`;
}

/** Calls matter more than the text next to them, which some vendors move into the reasoning. */
function contentKey(
  vendor: string,
  model: string,
  { role, text, calls }: Pick<ViewedMessage, "role" | "text"> & { calls: readonly Omit<ViewedCall, "id">[] },
): string {
  const content = calls.length > 0 ? calls.map(({ name, input }) => [name, input]) : text;
  return JSON.stringify([vendor, model, role, content]);
}
