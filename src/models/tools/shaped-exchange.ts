import { errorText } from "../../base/error-text.ts";
import {
  ModelError,
  type ModelErrorCode,
  type ModelEvent,
  type ModelRequest,
} from "../../core/ports/model.ts";
import { serverSkillId } from "../../core/skill/catalogue.ts";
import { toolsNow } from "../../core/transcript/keep-transcript.ts";
import { attempted } from "../around/attempt.ts";
import { type Endpoint, toModelError } from "../provider-error.ts";
import { SentTools } from "./sent-tools.ts";
import { ToolRefusal } from "./tool-refusal.ts";
import type { ToolRules } from "./tool-shape.ts";

/** Maximum attempts of one request that each leave out more tools. */
const maxTries = 64;
/** Maximum requests that find the tool behind a refusal without a name: without single tools, then without whole servers. */
const maxSingles = 12;
const maxServers = 8;

type Ask = (request: ModelRequest) => AsyncGenerator<ModelEvent>;

/**
 * Sends requests with tools in the shape that a vendor accepts. A tool that it refuses nevertheless is left out of this request and all
 * later ones; a `left_out` event before the answer names the missing tools. The same request is never sent twice after a refusal.
 */
export class ShapedExchange {
  readonly #endpoint: Endpoint;
  readonly #tools: SentTools;
  /** Sets of server tools without which the request was refused as well, and failures that were no better without any tool. */
  readonly #ruledOut = new Set<string>();
  /** Whether the model takes requests with tools; undefined until one was taken, or answered without them. */
  #takesTools: boolean | undefined;

  constructor(rules: ToolRules, endpoint: Endpoint) {
    this.#endpoint = endpoint;
    this.#tools = new SentTools(rules);
  }

  stream(request: ModelRequest, ask: Ask, tries = 1): AsyncIterable<ModelEvent> {
    if (this.#takesTools === false && hasTools(request)) {
      return after(this.#allLeftOut(request), ask(this.#tools.request(withoutAny(request))));
    }
    const tools = this.#tools.leftOut(request);
    const events = attempted(ask(this.#tools.request(request)), {
      pass: (event) => {
        if (event.type !== "finished") return event;
        this.#tools.taken(request);
        if (hasTools(request)) this.#takesTools = true;
        return { ...event, message: this.#tools.answer(event.message, request) };
      },
      recover: (error) => {
        if (error instanceof ToolRefusal) return this.#again(request, ask, error, tries);
        if (!(error instanceof ModelError) || !refusals.has(error.code)) throw error;
        return this.#withoutTools(request, ask, error);
      },
    });
    return tools.length === 0 ? events : after({ type: "left_out", model: this.#endpoint.id, tools }, events);
  }

  async *#again(
    request: ModelRequest,
    ask: Ask,
    refusal: ToolRefusal,
    tries: number,
  ): AsyncGenerator<ModelEvent> {
    const isChanged = tries <= maxTries && (await this.#leavesOut(request, ask, refusal));
    if (isChanged) yield* this.stream(request, ask, tries + 1);
    else yield* this.#withoutTools(request, ask, this.#failure(refusal, request));
  }

  /**
   * The answer without tools, from a model that has never taken any. Servers refuse tools in many words, so it is tried.
   * @throws the failure of the request with tools if this one fails as well
   */
  async *#withoutTools(request: ModelRequest, ask: Ask, failure: unknown): AsyncGenerator<ModelEvent> {
    const key = errorText(failure);
    if (this.#takesTools !== undefined || !hasTools(this.#tools.request(request)) || this.#ruledOut.has(key))
      throw failure;
    request.signal.throwIfAborted();
    const events = ask(this.#tools.request(withoutAny(request)));
    try {
      const first = await events.next().catch(() => undefined);
      request.signal.throwIfAborted();
      if (first === undefined || first.done === true) {
        this.#ruledOut.add(key);
        throw failure;
      }
      this.#takesTools = false;
      yield this.#allLeftOut(request);
      yield first.value;
      yield* events;
    } finally {
      await events.return(undefined);
    }
  }

  #allLeftOut(request: ModelRequest): ModelEvent {
    const tools = toolsNow(request, "drop").map(({ name }) => ({ name, why: "it takes no tools" }));
    return { type: "left_out", model: this.#endpoint.id, tools, all: true };
  }

  /** Leaves out the tools that the refusal means. Returns whether that changed the request. */
  async #leavesOut(request: ModelRequest, ask: Ask, { names, why }: ToolRefusal): Promise<boolean> {
    if (this.#tools.leaveOut(request, names, why)) return true;
    const suspects = this.#tools.untried(request);
    const key = suspects.join(" ");
    if (suspects.length === 0 || this.#ruledOut.has(key)) return false;
    for (const out of trials(suspects)) {
      request.signal.throwIfAborted();
      const left = new Set(out);
      if (!(await isTaken(ask(without(this.#tools.request(request), left))))) continue;
      return this.#tools.leaveOut(request, left, `it named no tool, and took the request without: ${why}`);
    }
    this.#ruledOut.add(key);
    return false;
  }

  /** The error when nothing helped. It names the tool servers in the request and the commands that disable them. */
  #failure({ cause }: ToolRefusal, request: ModelRequest): unknown {
    const error = toModelError(cause, this.#endpoint) ?? cause;
    const servers = [...new Set(this.#tools.untried(request).map(serverOf))].slice(0, maxServers);
    if (!(error instanceof ModelError) || servers.length === 0) return error;
    const cures = servers.map((server) => `/skill disable ${serverSkillId(server)}`).join(", ");
    const seen = `It may be a tool of a tool server. Take them out one by one: ${cures}.`;
    return new ModelError(error.code, `${error.message} ${seen}`, { cause, seen });
  }
}

/** Codes of requests that are refused because of their tools: routers know no model that takes them. */
const refusals: ReadonlySet<ModelErrorCode> = new Set(["invalid_request", "not_configured"]);

function hasTools(request: ModelRequest): boolean {
  return (
    request.output_schema === undefined && request.keep_only !== true && toolsNow(request, "drop").length > 0
  );
}

function withoutAny(request: ModelRequest): ModelRequest {
  return without(request, new Set(toolsNow(request, "keep").map(({ name }) => name)));
}

async function* after(first: ModelEvent, events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
  yield first;
  yield* events;
}

/** The tools to leave out in turn: each tool alone, the latest first, then each server, then all. */
function trials(suspects: readonly string[]): string[][] {
  const servers = Map.groupBy(suspects, serverOf);
  const singles = suspects
    .toReversed()
    .slice(0, maxSingles)
    .map((name) => [name]);
  const groups = [...servers.values()].toReversed().slice(0, maxServers);
  const all = [...singles, ...groups, [...suspects]];
  return [...new Map(all.map((names) => [names.join(" "), names])).values()];
}

function serverOf(name: string): string {
  return name.slice(0, name.indexOf("__"));
}

/** Whether an answer begins. Does not wait for the rest. */
async function isTaken(events: AsyncGenerator<ModelEvent>): Promise<boolean> {
  try {
    await events.next();
    return true;
  } catch (error) {
    if (error instanceof ToolRefusal) return false;
    throw error;
  } finally {
    await events.return(undefined);
  }
}

function without(request: ModelRequest, names: ReadonlySet<string>): ModelRequest {
  return {
    ...request,
    tools: request.tools.filter(({ name }) => !names.has(name)),
    messages: request.messages.map((message) =>
      message.role === "system" && message.add?.some(({ name }) => names.has(name))
        ? { ...message, add: message.add.filter(({ name }) => !names.has(name)) }
        : message,
    ),
  };
}
