import { ModelError, type ModelEvent, type ModelRequest } from "../../core/model.ts";
import { serverSkillId } from "../../core/server-tools.ts";
import { type Endpoint, toModelError } from "../provider-error.ts";
import { createSentTools, type SentTools } from "./sent-tools.ts";
import { ToolRefusal } from "./tool-refusal.ts";
import type { ToolRules } from "./tool-shape.ts";

/** Tools that are left out one after the other, in one request. */
const mostTries = 64;
/** Requests to find out which tool an unnamed refusal means: single tools, then all of a server. */
const mostSingles = 12;
const mostServers = 8;

type Ask = (request: ModelRequest) => AsyncGenerator<ModelEvent>;

/**
 * Asks with tools in the shape that a vendor takes. A tool it refuses all the same is left out, at its place, of this request and all
 * later ones; before a request that lacks tools, `left_out` says which. One refusal never leads to the same request twice.
 */
export function createShapedExchange(rules: ToolRules, endpoint: Endpoint) {
  const tools = createSentTools(rules);
  /** Requests that no leaving out could help: their tools are not why they are refused. */
  const innocent = new Set<string>();

  /** What is told where nothing helped: who has tools in the request, and how they are taken out of it. */
  const failed = ({ cause }: ToolRefusal, suspects: readonly string[]): unknown => {
    const error = toModelError(cause, endpoint) ?? cause;
    if (!(error instanceof ModelError) || suspects.length === 0) return error;
    const ids = [...new Set(suspects.map(serverOf))].map(serverSkillId);
    const cure = ids.slice(0, mostServers).map((id) => `/skill disable ${id}`);
    const seen = `The request has tools of tool servers. If it stays so, take them out one by one: ${cure.join(", ")}.`;
    return new ModelError(error.code, `${error.message} ${seen}`, { cause, seen });
  };

  /** Whether the request is another one now, without what the refusal means. */
  const leavesOut = (request: ModelRequest, ask: Ask, refusal: ToolRefusal): Promise<boolean> | true =>
    tools.leaveOut(request, refusal.names, refusal.why) || search(tools, request, ask, refusal, innocent);

  return async function* shaped(request: ModelRequest, ask: Ask): AsyncGenerator<ModelEvent> {
    for (let tries = 1; ; tries += 1) {
      const out = tools.leftOut(request);
      if (out.length > 0) yield { type: "left_out", model: endpoint.id, tools: out };
      try {
        yield* answered(tools, request, ask(tools.request(request)));
        tools.taken(request);
        return;
      } catch (error) {
        if (!(error instanceof ToolRefusal)) throw error;
        if (tries > mostTries || !(await leavesOut(request, ask, error))) {
          throw failed(error, tools.untried(request));
        }
      }
    }
  };
}

async function* answered(
  tools: SentTools,
  request: ModelRequest,
  events: AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent> {
  for await (const event of events) {
    yield event.type === "finished" ? { ...event, message: tools.answer(event.message, request) } : event;
  }
}

/** Finds out without which tools a request is taken, by asking without each. Answers whether there are such tools; they stay out. */
async function search(
  tools: SentTools,
  request: ModelRequest,
  ask: Ask,
  refusal: ToolRefusal,
  innocent: Set<string>,
): Promise<boolean> {
  const suspects = tools.untried(request);
  const key = suspects.join(" ");
  if (suspects.length === 0 || innocent.has(key)) return false;
  for (const out of trials(suspects)) {
    request.signal.throwIfAborted();
    if (!(await isTaken(ask(without(tools.request(request), new Set(out)))))) continue;
    return tools.leaveOut(
      request,
      new Set(out),
      `the request was refused with it, and no tool was named: ${refusal.why}`,
    );
  }
  innocent.add(key);
  return false;
}

/** What is left out in turn: what came last first, each tool alone, then each server, then all. */
function trials(suspects: readonly string[]): string[][] {
  const servers = Map.groupBy(suspects, serverOf);
  const singles = suspects
    .toReversed()
    .slice(0, mostSingles)
    .map((name) => [name]);
  const groups = [...servers.values()].toReversed().slice(0, mostServers);
  const all = [...singles, ...groups, [...suspects]];
  return [...new Map(all.map((names) => [names.join(" "), names])).values()];
}

function serverOf(name: string): string {
  return name.slice(0, name.indexOf("__"));
}

/** Whether an answer begins. The rest of it is not waited for. */
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
