import { type Model, ModelError, type ModelRequest } from "../../core/ports/model.ts";
import { type CalledModel, createProviderModel, type Dialect, factsOf } from "../provider-model.ts";
import type { OutputForm } from "../structured-output.ts";
import { toolRules } from "../tools/tool-shape.ts";
import { type Concession, type Refusal, statusOf, WireForms } from "../wire-forms.ts";
import { type AnthropicEvent, AnthropicReader } from "./answer.ts";
import { anthropicServer } from "./client.ts";
import { AnthropicMessages } from "./messages.ts";
import { type Abilities, abilitiesOf, formOf } from "./models.ts";
import { wireRequest } from "./request.ts";

/**
 * A model behind Anthropic's messages API. The SDK is loaded with the first request. A feature that the server refuses is left out of
 * this and all later requests.
 */
export function createAnthropicModel(options: CalledModel): Model {
  const { provider = "anthropic", model } = options;
  const { endpoint, isOwn, post } = anthropicServer(options);
  const facts = factsOf(options, endpoint);
  const messages = new AnthropicMessages(provider);
  const first = abilitiesOf(model, isOwn, facts.in_place);
  const forms = new WireForms(post, first, concessions(messages), endpoint);
  /** Whether the server takes requests that only keep something. */
  let takesKeeping = true;

  const limitOf = ({ max_output_tokens = Infinity }: ModelRequest, { maxOutputTokens }: Abilities) => {
    const usual = Math.min(maxOutputTokens, facts.output ?? Infinity);
    return Math.min(options.maxOutputTokens ?? usual, max_output_tokens);
  };
  const written = (request: ModelRequest, output: OutputForm, form: Abilities, stream: boolean) => {
    const conversation = messages.conversation(request, form);
    const { body, betas } = wireRequest(request, conversation, output, form);
    const max_tokens = request.keep_only === true ? 0 : limitOf(request, form);
    const headers = betas.length === 0 ? undefined : { "anthropic-beta": betas.join(",") };
    return { body: { model, max_tokens, ...body, stream }, headers };
  };
  /**
   * Has the cache keep a conversation, which generates nothing: its refusal turns no other feature off.
   * https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pre-warming-the-cache
   */
  const keep = async (request: ModelRequest, signal: AbortSignal) => {
    const form = forms.taken;
    if (!takesKeeping || !form.hourCache) {
      throw new ModelError("invalid_request", `${endpoint.id} keeps nothing for an hour.`);
    }
    const { body, headers } = written(request, { kind: "free" }, form, false);
    try {
      return { answer: await post(body, signal, headers), form };
    } catch (error) {
      takesKeeping = !isBadRequest(statusOf(error));
      throw error;
    }
  };

  const dialect: Dialect<AnthropicEvent> = {
    keeps: true,
    async send(request, output, { stream, signal }) {
      const write = (form: Abilities) => written(request, output, form, stream);
      const { answer, form } = await (request.keep_only === true
        ? keep(request, signal)
        : forms.send(request, signal, write));
      const owner = { provider, model, form: formOf(form) };
      return { answer, reader: new AnthropicReader({ request, endpoint, owner }) };
    },
  };
  return createProviderModel(dialect, endpoint, options, toolRules("anthropic", model));
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

/** The concessions to a server of the messages API. Refused thinking is left out of its messages. */
function concessions(messages: AnthropicMessages): readonly Concession<Abilities>[] {
  return [
    {
      lesser: ({ text, status }, abilities, request) =>
        isBadRequest(status) && refusesThinking(text) && messages.dropThinking(request.messages)
          ? abilities
          : undefined,
    },
    ...refusals.map(({ names, off }) => ({
      lesser: ({ text, status }: Refusal, abilities: Abilities) =>
        isBadRequest(status) && names.test(text) && changes(abilities, off)
          ? { ...abilities, ...off }
          : undefined,
    })),
  ];
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
function refusesThinking(text: string): boolean {
  return /signature/.test(text) || (/thinking/.test(text) && !displayRefused.test(text));
}

function isBadRequest(status: number | undefined): boolean {
  return status === 400 || status === 422;
}
