/**
 * The spans of a turn, derived from its events: one for the turn, one for each round's request to its model, one for each call of a
 * tool. Names and attributes are those of OpenTelemetry's conventions for generative AI, version 0.1.0:
 * https://github.com/open-telemetry/semantic-conventions-genai. Attributes are ids, names, counts and codes, never text of a
 * conversation. All ids follow from the turn's id, so a worker that resumes a turn continues its trace.
 */
import { createHash } from "node:crypto";
import {
  type TurnEventBody,
  type TurnEventBodyOf,
  type TurnOutcome,
  unwrapped,
} from "../core/log/turn-event.ts";
import type { ClaimedTurn } from "../core/log/turn-log.ts";
import { noUsage, plusUsage, type Usage, type UsageTotal } from "../core/log/usage.ts";
import { errorCodeOf } from "../core/skill/tool.ts";

/** Undefined values are left out. */
type Attributes = Record<string, string | number | undefined>;

/** Work that has ended. Times are ms since the epoch. */
export interface TurnSpan {
  /** 32 hex digits: for a UUID, the turn's id without its dashes. */
  trace_id: string;
  /** 16 hex digits. */
  span_id: string;
  /** The span that this one is part of; absent for the turn itself. */
  parent_id?: string | undefined;
  name: string;
  kind: "internal" | "client";
  from: number;
  to: number;
  /** With `error.type` if the work failed. */
  attributes: Attributes;
}

/** A provider's name in the conventions, where it differs from the one in the configuration. */
const conventionalNames: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  gemini: "gcp.gemini",
  mistral: "mistral_ai",
  xai: "x_ai",
};

/** Errors of calls for which no tool was found: their tool's name is text of a model. */
const withoutTool: ReadonlySet<string> = new Set(["unknown_tool", "skill_starting"]);

/** The part of a trace that is the turn itself. */
const whole = "turn";

/** The spans of one turn. */
export class TurnSpans {
  readonly #turn: ClaimedTurn;
  readonly #trace: string;
  readonly #calls = new Map<string, { started: TurnEventBodyOf<"tool_started">; from: number }>();
  #started: TurnEventBodyOf<"turn_started"> | undefined;
  /** The agent that has the turn now. */
  #agent: string | undefined;
  /** The open rounds of the turn (``) and of its sub-runs, by their calls. */
  readonly #rounds = new Map<string, { round: number; from: number }>();
  #usage: UsageTotal = noUsage;
  #error: string | undefined;

  /** Takes the events that earlier workers stored; their spans are left to those workers. */
  constructor(turn: ClaimedTurn) {
    this.#turn = turn;
    const digits = turn.turn_id.replaceAll("-", "");
    this.#trace = /^[0-9a-f]{32}$/.test(digits) ? digits : hash(turn.turn_id, 32);
    for (const event of turn.events) this.take(event, event.at);
  }

  /** Takes the next event and returns the spans that it ends. */
  take(stored: TurnEventBody, at: number): TurnSpan[] {
    const event = unwrapped(stored);
    const run = stored.type === "run" ? stored.call_id : "";
    switch (event.type) {
      case "turn_started":
        this.#started = event;
        this.#agent = this.#turn.inbound.kind === "command" ? undefined : event.profile;
        return [];
      case "turn_resumed":
        // An interrupted request to the model is made again in a new round.
        this.#rounds.clear();
        return [];
      case "handoff":
        if (event.call_id === undefined) this.#agent = event.to;
        return [];
      case "round_started":
        this.#rounds.set(run, { round: event.round, from: at });
        return [];
      case "usage":
        this.#usage = plusUsage(this.#usage, event);
        return event.round === undefined && event.run === undefined
          ? []
          : this.#endRound(event.run ?? "", at, event.model, usageAttributes(event));
      case "model_away":
        return this.#failRound(run, at, event.code);
      case "error":
        this.#error = event.code;
        return this.#failRounds(at, event.code);
      case "tool_started":
        this.#calls.set(event.call_id, { started: event, from: at });
        return [];
      case "tool_finished":
        return this.#endCall(event, at);
      case "turn_finished":
        return [...this.#failRounds(at, event.outcome), this.#turnSpan(event.outcome, at)];
      default:
        return [];
    }
  }

  #failRounds(at: number, code: string): TurnSpan[] {
    return [...this.#rounds.keys()].flatMap((run) => this.#failRound(run, at, code));
  }

  #failRound(run: string, at: number, code: string): TurnSpan[] {
    return this.#endRound(run, at, this.#started?.model ?? "", { "error.type": code });
  }

  #endRound(run: string, at: number, model: string, outcome: Attributes): TurnSpan[] {
    const open = this.#rounds.get(run);
    if (open === undefined) return [];
    this.#rounds.delete(run);
    const { provider, name } = modelNames(model);
    const attributes = {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": conventionalNames[provider] ?? provider,
      "gen_ai.request.model": name,
      "gen_ai.conversation.id": this.#conversation(),
      ...outcome,
    };
    // A round that is repeated after an outage has the same number.
    const part = `${run === "" ? "" : `${run} `}round ${open.round} at ${open.from}`;
    const span = { name: `chat ${name}`, from: open.from, to: at, attributes, ...this.#within(run) };
    return [this.#span(part, { ...span, kind: "client" })];
  }

  #endCall({ call_id, status, output }: TurnEventBodyOf<"tool_finished">, at: number): TurnSpan[] {
    const call = this.#calls.get(call_id);
    if (call === undefined) return [];
    this.#calls.delete(call_id);
    const { parent_call_id: parent = "", skill_id, tool } = call.started;
    const error = status === "ok" ? undefined : errorCodeOf(output);
    const name = error !== undefined && withoutTool.has(error) ? "unknown" : tool;
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": call_id,
      "gen_ai.agent.name": this.#agent,
      "knack.skill": skill_id || undefined,
      "error.type": error,
    };
    const span = {
      name: `execute_tool ${name}`,
      from: call.from,
      to: at,
      attributes,
      ...this.#within(parent),
    };
    return [this.#span(`call ${call_id}`, span)];
  }

  #turnSpan(outcome: TurnOutcome, at: number): TurnSpan {
    const { turn_id, inbound, events } = this.#turn;
    const operation = inbound.kind === "command" ? "invoke_workflow" : "invoke_agent";
    const agent = inbound.kind === "command" ? undefined : this.#started?.profile;
    const attributes = {
      "gen_ai.operation.name": operation,
      "gen_ai.agent.name": agent,
      "gen_ai.request.model": modelNames(this.#started?.model ?? "").name || undefined,
      "gen_ai.conversation.id": this.#conversation(),
      ...(this.#usage === noUsage ? {} : usageAttributes(this.#usage)),
      "knack.turn_id": turn_id,
      "knack.namespace": inbound.namespace,
      "knack.outcome": outcome,
      "error.type": outcome === "failed" ? (this.#error ?? "failed") : undefined,
    };
    const name = agent === undefined ? operation : `${operation} ${agent}`;
    return this.#span(whole, { parent_id: undefined, name, from: events[0]?.at ?? at, to: at, attributes });
  }

  /** A span of the trace; part of the turn unless it says otherwise. */
  #span(part: string, span: Omit<TurnSpan, "trace_id" | "span_id" | "kind"> & Partial<TurnSpan>): TurnSpan {
    return {
      trace_id: this.#trace,
      span_id: this.#spanId(part),
      parent_id: this.#spanId(whole),
      kind: "internal",
      ...span,
    };
  }

  /** The parent of a span within a call. That of a command's own call was never started. */
  #within(call: string): Pick<TurnSpan, "parent_id"> {
    return this.#calls.has(call) ? { parent_id: this.#spanId(`call ${call}`) } : {};
  }

  #spanId(part: string): string {
    return hash(`${this.#turn.turn_id} ${part}`, 16);
  }

  #conversation(): string {
    const { namespace, thread } = this.#turn.inbound;
    return `${namespace}/${thread}`;
  }
}

function usageAttributes(usage: Usage): Attributes {
  return {
    "gen_ai.usage.input_tokens": usage.input_tokens,
    "gen_ai.usage.output_tokens": usage.output_tokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
    "gen_ai.usage.cache_write.input_tokens": usage.cache_write_tokens,
  };
}

/** The parts of `provider/model`; `offline` is both. */
function modelNames(id: string): { provider: string; name: string } {
  const slash = id.indexOf("/");
  return slash < 0 ? { provider: id, name: id } : { provider: id.slice(0, slash), name: id.slice(slash + 1) };
}

function hash(text: string, digits: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, digits);
}
