import type { Anthropic } from "@anthropic-ai/sdk";
import { type Model, ModelError, type ModelRequest } from "../../core/ports/model.ts";
import { readChunks } from "../event-stream.ts";
import type { Body } from "../post-json.ts";
import { createProviderModel, type Dialect, factsOf, type ProviderModelOptions } from "../provider-model.ts";
import type { ServerAnswer } from "../send-request.ts";
import type { OutputForm } from "../structured-output.ts";
import { toolRefusal } from "../tools/tool-refusal.ts";
import { toolRules } from "../tools/tool-shape.ts";
import {
  type AnthropicEvent,
  type Asked,
  anthropicAnswer,
  createAnthropicReader,
  wholeMessage,
} from "./answer.ts";
import { anthropicServer } from "./client.ts";
import { createAnthropicMessages } from "./messages.ts";
import { type Abilities, abilitiesOf, formOf, type WireForm } from "./models.ts";
import { wireRequest } from "./request.ts";

/** Sends one request body. */
type Send = (
  body: Body<Anthropic.MessageCreateParams>,
  headers: Record<string, string>,
) => Promise<ServerAnswer>;

/** An answer, and the form of the request that the server took. */
interface Taken {
  answer: ServerAnswer;
  form: WireForm;
}

/** A model behind Anthropic's messages API. The SDK is loaded with the first request. */
export function createAnthropicModel(options: ProviderModelOptions): Model {
  const { provider = "anthropic", model } = options;
  const server = anthropicServer(options);
  const { endpoint, post } = server;
  const { send, keep } = createSender(server, { ...options, provider });
  const asked = (request: ModelRequest): Asked => ({ request, provider, model, endpoint });
  const whole = async (answer: ServerAnswer) =>
    wholeMessage((await answer.json()) as Anthropic.Message, endpoint);

  const dialect: Dialect<AnthropicEvent> = {
    async open(request, form, signal) {
      const { answer, form: taken } = await send(request, form, (body, headers) =>
        post({ ...body, stream: true }, signal, headers),
      );
      // The SDK's own stream hides the pings that arrive while the model thinks.
      const reads = readChunks<AnthropicEvent>(answer, ({ type }) => type === "message_stop");
      return { reads, reader: createAnthropicReader(taken, asked(request)) };
    },
    async complete(request, form, signal) {
      const { answer, form: taken } = await send(request, form, (body, headers) =>
        post({ ...body, stream: false }, signal, headers),
      );
      return anthropicAnswer(await whole(answer), taken, asked(request));
    },
    async keep(request, signal) {
      const { answer, form } = await keep(request, (body, headers) =>
        post({ ...body, stream: false }, signal, headers),
      );
      return anthropicAnswer(await whole(answer), form, asked(request));
    },
  };
  return createProviderModel(dialect, endpoint, options, toolRules("anthropic", model));
}

/**
 * Sends requests in the best form that the server accepts. A feature that it refuses is left out of this and all later requests of
 * the model; refused thinking is left out of its messages.
 */
function createSender(
  { endpoint, isOwn }: ReturnType<typeof anthropicServer>,
  options: ProviderModelOptions & { provider: string },
) {
  const messages = createAnthropicMessages(options.provider);
  const facts = factsOf(options, endpoint);
  let abilities = abilitiesOf(options.model, isOwn, facts.in_place);

  /** Whether the server takes requests that only keep something. */
  let keeps = true;

  const limitOf = ({ max_output_tokens = Infinity }: ModelRequest, { maxOutputTokens }: Abilities) =>
    Math.min(
      options.maxOutputTokens ?? Math.min(maxOutputTokens, facts.output ?? Infinity),
      max_output_tokens,
    );
  /** Adapts to a refusal. Returns false if the next request would be the same. */
  const yieldsTo = (error: unknown, request: ModelRequest, tried: Abilities): boolean => {
    if (refusesThinking(error) && messages.dropThinking(request.messages)) return true;
    const refused = refusedAbilities(tried, error);
    abilities = { ...abilities, ...refused };
    return refused !== undefined;
  };
  const send = async (request: ModelRequest, form: OutputForm, post: Send): Promise<Taken> => {
    for (;;) {
      const tried = abilities;
      const { body, betas } = wireRequest(request, messages.conversation(request, tried), form, tried);
      const max_tokens = limitOf(request, tried);
      try {
        const answer = await post({ model: options.model, max_tokens, ...body }, headersOf(betas));
        return { answer, form: formOf(tried) };
      } catch (error) {
        const refusal = toolRefusal(error, body);
        // When a tool is named, words of its definition may match any ability.
        const isNamed = refusal !== undefined && refusal.names.size > 0;
        if (isNamed || !yieldsTo(error, request, tried)) throw refusal ?? error;
      }
    }
  };
  /**
   * Has the cache keep a conversation, which generates nothing: its refusal turns no other feature off.
   * https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pre-warming-the-cache
   */
  const keep = async (request: ModelRequest, post: Send): Promise<Taken> => {
    if (!keeps || !abilities.hourCache) {
      throw new ModelError("invalid_request", `${endpoint.id} keeps nothing for an hour.`);
    }
    const wire = messages.conversation(request, abilities);
    const { body, betas } = wireRequest(request, wire, { kind: "free" }, abilities);
    try {
      const answer = await post({ model: options.model, max_tokens: 0, ...body }, headersOf(betas));
      return { answer, form: formOf(abilities) };
    } catch (error) {
      keeps = badRequest(error) === undefined;
      throw error;
    }
  };
  return { send, keep };
}

function headersOf(betas: readonly string[]): Record<string, string> {
  return betas.length === 0 ? {} : { "anthropic-beta": betas.join(",") };
}

/** Words in refusals of thinking, or of how to show it. */
const displayRefused =
  /thinking(?:\.adaptive)?\.display|'display'|\bthinking: (?:extra|input|unknown)|adaptive thinking is not|thinking\.type|unsupported parameter: 'thinking/i;

/** Words by which servers name a refused feature, the most specific first. The first entry that turns something off applies. */
const refusals: readonly { names: RegExp; off: Partial<Abilities> }[] = [
  { names: /thinking-display-updates|display: input should be|'updates'/i, off: { display: "summarized" } },
  { names: displayRefused, off: { display: undefined } },
  { names: /mid-conversation-output-config|messages\.\d+\.output_config/, off: { effortChange: false } },
  { names: /inline-tools|mid-conversation|defer_loading/, off: { inline: false } },
  { names: /tool_addition|tool_removal|tool_reference|tool_name_conflict/, off: { inline: false } },
  // A system message in an unexpected place, in the words of Anthropic, pydantic and chat templates.
  {
    names:
      /\brole\W+system\b|unexpected role|messages(?:\.\d+)?\.role\b|'user' or 'assistant'|roles must alternate/i,
    off: { inline: false },
  },
  { names: /anthropic-beta|\bbetas?\b/i, off: { inline: false, effortChange: false } },
  { names: /\beffort\b|output_config(?!\.format)/, off: { efforts: [], effortChange: false } },
  { names: /\bttl\b|extended-cache/, off: { hourCache: false } },
];

/** The features to turn off after a refusal. Undefined when it is about something else, or about an unused feature. */
function refusedAbilities(asked: Abilities, error: unknown): Partial<Abilities> | undefined {
  const text = badRequest(error);
  if (text === undefined) return undefined;
  return refusals.find(({ names, off }) => names.test(text) && changes(asked, off))?.off;
}

function changes(asked: Abilities, off: Partial<Abilities>): boolean {
  return (Object.keys(off) as (keyof Abilities)[]).some((ability) => {
    const now = asked[ability];
    if (ability === "display" && now === undefined) return false;
    return Array.isArray(now) ? now.length > 0 : now !== off[ability];
  });
}

/**
 * Whether a server refused thinking that was sent back, because the conversation before it changed, or another model or account wrote
 * it ("Invalid `signature` in `thinking` block", "`thinking` blocks … cannot be modified").
 */
function refusesThinking(error: unknown): boolean {
  const text = badRequest(error) ?? "";
  return /signature/.test(text) || (/thinking/.test(text) && !displayRefused.test(text));
}

/** The whole body of a server's refusal. Undefined for any other failure. */
function badRequest(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("status" in error)) return undefined;
  return error.status === 400 || error.status === 422 ? error.message : undefined;
}
