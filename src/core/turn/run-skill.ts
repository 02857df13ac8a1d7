import { tokensIn } from "../log/transcript.ts";
import type { TurnEventBody } from "../log/turn-event.ts";
import { type Model, ModelError, type Models } from "../ports/model.ts";
import type { Turn, TurnPorts } from "../scope/turn.ts";
import type { CallRequest, MetaTool } from "../scope/turn-scope.ts";
import type { ToolResult } from "../skill/tool.ts";
import { keepTranscript, readFacts, requestOf, toolsNow } from "../transcript/keep-transcript.ts";
import { makeOpening } from "../transcript/opening.ts";
import { WaitingForPerson } from "../values/failure.ts";
import type { Json } from "../values/json.ts";
import type { Message, ToolDefinition } from "../values/message.ts";
import { invokeSkill } from "./invoke-skill.ts";
import { waitUntil } from "./turn-loop.ts";
import { createEventChannel, openScope } from "./turn-opening.ts";

/**
 * Runs one skill for a person, without a model: the path of `invoke_skill`. Yields its events as a turn does; the
 * generator's value is the result, or `waiting` after `turn_waiting`: then the turn is run again when a person has answered.
 */
export async function* runSkill(
  turn: Turn,
  ports: TurnPorts,
  metaTools: readonly MetaTool[],
  skillId: string,
  params: Json,
): AsyncGenerator<TurnEventBody, ToolResult | "waiting"> {
  const channel = createEventChannel<TurnEventBody>();
  const scope = await openScope(turn, ports, metaTools, channel.emit);
  const person: CallRequest = {
    call: { id: "run", name: "run", arguments: "" },
    depth: 0,
    by_person: true,
  };
  let result: ToolResult | "waiting" = "waiting";
  const run = async () => {
    try {
      result = await invokeSkill(scope, person, "run/1", skillId, params);
    } catch (error) {
      if (!(error instanceof WaitingForPerson)) throw error;
      await scope.emit({ type: "turn_waiting", until: waitUntil(scope) });
    }
  };
  yield* channel.drain(run());
  return result;
}

/** What a model call would get. */
export interface Preview {
  system: string;
  tools: readonly ToolDefinition[];
  /** After the opening; only where a thread was named. */
  messages?: readonly Message[];
  /** Of all of it, roughly. */
  tokens: number;
}

/** What a new thread of the channel would begin with. Nothing is recorded. */
export async function previewOpening(
  turn: Turn,
  ports: TurnPorts,
  metaTools: readonly MetaTool[],
): Promise<Preview> {
  const scope = await openScope(turn, ports, metaTools, async () => {});
  const { instructions: system, tools } = ports.redact(makeOpening(scope, await readFacts(scope)));
  return { system, tools, tokens: ports.countTokens(system) + ports.countTokens(JSON.stringify(tools)) };
}

function withoutAnswers(models: Models): Models {
  const silent = (model: Model): Model => ({ ...model, stream: refuse });
  return {
    ...models,
    main: silent(models.main),
    named: (name) => silent(models.named(name)),
    small: (beside) => silent(models.small(beside)),
  };
}

function refuse(): AsyncIterable<never> {
  throw new ModelError("not_configured", "No model is asked for a preview.");
}

/** What the next model call of the turn's thread would get. Nothing is recorded. */
export async function previewRequest(
  turn: Turn,
  ports: TurnPorts,
  metaTools: readonly MetaTool[],
): Promise<Preview> {
  const quiet: TurnPorts = {
    ...ports,
    openings: { ...ports.openings, put: async () => "preview" },
    // Where a new transcript is due, its summary is not written for a look at it.
    models: withoutAnswers(ports.models),
  };
  const scope = await openScope(turn, quiet, metaTools, async () => {});
  const transcript = await keepTranscript(scope);
  const request = await requestOf(scope, transcript);
  const { system, messages } = request;
  return {
    system,
    tools: toolsNow(request, "drop"),
    messages,
    tokens: tokensIn(transcript, ports.countTokens),
  };
}
