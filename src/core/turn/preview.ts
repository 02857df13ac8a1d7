import { tokensIn } from "../log/transcript.ts";
import { type Model, ModelError, type Models } from "../ports/model.ts";
import type { Turn, TurnPorts } from "../scope/turn.ts";
import type { MetaTool } from "../scope/turn-scope.ts";
import { toolsNow } from "../transcript/folded-request.ts";
import { keepTranscript, readFacts } from "../transcript/keep-transcript.ts";
import { makeOpening } from "../transcript/opening.ts";
import { requestOf } from "../transcript/transcript-request.ts";
import type { Message, ToolDefinition } from "../values/message.ts";
import { openScope } from "./turn-opening.ts";

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
