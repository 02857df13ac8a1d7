import { innerCallId } from "../log/call-id.ts";
import { tokensIn } from "../log/transcript.ts";
import type { Emit } from "../log/turn-event.ts";
import { type Model, ModelError, type Models } from "../ports/model.ts";
import type { Turn, TurnPorts } from "../scope/turn.ts";
import type { CallRequest, MetaTool } from "../scope/turn-scope.ts";
import type { ToolResult } from "../skill/tool.ts";
import { keepTranscript, readFacts, requestOf, toolsNow } from "../transcript/keep-transcript.ts";
import { makeOpening } from "../transcript/opening.ts";
import { WaitingForPerson } from "../values/failure.ts";
import type { Json } from "../values/json.ts";
import type { Message, ToolDefinition } from "../values/message.ts";
import { placeInWords } from "../values/profile.ts";
import { invokeSkill } from "./invoke-skill.ts";
import { waitUntil } from "./turn-loop.ts";
import { openScope } from "./turn-opening.ts";

/**
 * Runs one skill for a person without a model, along the path of `invoke_skill`, and emits its events as a turn does. Returns `waiting` after
 * `turn_waiting`: the turn is then run again once a person has answered.
 */
export async function runSkill(
  turn: Turn,
  ports: TurnPorts,
  metaTools: readonly MetaTool[],
  emit: Emit,
  { skillId, params }: { skillId: string; params: Json },
): Promise<ToolResult | "waiting"> {
  const scope = await openScope(turn, ports, metaTools, emit);
  const person: CallRequest = {
    call: { id: "run", name: "run", arguments: "" },
    depth: 0,
    by_person: true,
  };
  try {
    return await invokeSkill(scope, person, innerCallId(person.call.id, 1), skillId, params);
  } catch (error) {
    if (!(error instanceof WaitingForPerson)) throw error;
    await scope.emit({ type: "turn_waiting", until: waitUntil(scope) });
    return "waiting";
  }
}

/** The content of a model call. */
export interface Preview {
  system: string;
  tools: readonly ToolDefinition[];
  /** Messages after the opening; only if a thread was given. */
  messages?: readonly Message[];
  /** Approximate size of everything. */
  tokens: number;
}

/** Returns the opening of a new thread in the channel, with what its first message says about the place. Records nothing. */
export async function previewOpening(
  turn: Turn,
  ports: TurnPorts,
  metaTools: readonly MetaTool[],
): Promise<Preview> {
  const scope = await openScope(turn, ports, metaTools, async () => {});
  const { instructions, tools, told } = ports.redact(makeOpening(scope, await readFacts(scope)));
  const place = told.place === "" ? [ports.redact(placeInWords(turn.where))] : [];
  const system = [instructions, ...place].join("\n\n");
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

/** Returns the next model call of the turn's thread. Records nothing. */
export async function previewRequest(
  turn: Turn,
  ports: TurnPorts,
  metaTools: readonly MetaTool[],
): Promise<Preview> {
  const quiet: TurnPorts = {
    ...ports,
    openings: { get: (name) => ports.openings.get(name), put: async (opening) => ["preview", opening] },
    partUses: new Map(),
    // A preview does not write the summary that a new transcript would begin with.
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
