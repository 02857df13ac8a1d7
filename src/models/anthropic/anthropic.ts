import { type Model, ModelError, type ModelRequest } from "../../core/ports/model.ts";
import type { ModelFacts } from "../catalogue/model-facts.ts";
import type { Post } from "../post-json.ts";
import type { Endpoint } from "../provider-error.ts";
import { createProviderModel, type Dialect, factsOf, type ProviderModelOptions } from "../provider-model.ts";
import type { OutputForm } from "../structured-output.ts";
import { toolRules } from "../tools/tool-shape.ts";
import { type Concession, statusOf, WireForms } from "../wire-forms.ts";
import { type AnthropicEvent, AnthropicReader } from "./answer.ts";
import { anthropicServer } from "./client.ts";
import { AnthropicMessages } from "./messages.ts";
import { type Abilities, abilitiesOf, formOf } from "./models.ts";
import { wireRequest } from "./request.ts";

/** A model behind Anthropic's messages API. The SDK is loaded with the first request. */
export function createAnthropicModel(options: ProviderModelOptions): Model {
  const server = anthropicServer(options);
  const dialect = new AnthropicDialect(options, server);
  return createProviderModel(dialect, server.endpoint, options, toolRules("anthropic", options.model));
}

/** Anthropic's messages API. A feature that the server refuses is left out of this and all later requests of the model. */
class AnthropicDialect implements Dialect<AnthropicEvent> {
  readonly keeps = true;
  readonly #options: ProviderModelOptions;
  readonly #provider: string;
  readonly #endpoint: Endpoint;
  readonly #facts: ModelFacts;
  readonly #post: Post;
  readonly #messages: AnthropicMessages;
  readonly #forms: WireForms<Abilities>;
  /** Whether the server takes requests that only keep something. */
  #takesKeeping = true;

  constructor(options: ProviderModelOptions, { endpoint, isOwn, post }: ReturnType<typeof anthropicServer>) {
    this.#options = options;
    this.#provider = options.provider ?? "anthropic";
    this.#endpoint = endpoint;
    this.#post = post;
    this.#facts = factsOf(options, endpoint);
    this.#messages = new AnthropicMessages(this.#provider);
    const first = abilitiesOf(options.model, isOwn, this.#facts.in_place);
    this.#forms = new WireForms(post, first, concessions(this.#messages), endpoint);
  }

  async send(
    request: ModelRequest,
    output: OutputForm,
    { stream, signal }: { stream: boolean; signal: AbortSignal },
  ) {
    const { answer, form } =
      request.keep_only === true
        ? await this.#keep(request, signal)
        : await this.#forms.send(request, signal, (form) => this.#written(request, output, form, stream));
    const asked = {
      request,
      provider: this.#provider,
      model: this.#options.model,
      endpoint: this.#endpoint,
    };
    return { answer, reader: new AnthropicReader(formOf(form), asked) };
  }

  /**
   * Has the cache keep a conversation, which generates nothing: its refusal turns no other feature off.
   * https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pre-warming-the-cache
   */
  async #keep(request: ModelRequest, signal: AbortSignal) {
    const form = this.#forms.taken;
    if (!this.#takesKeeping || !form.hourCache) {
      throw new ModelError("invalid_request", `${this.#endpoint.id} keeps nothing for an hour.`);
    }
    const { body, headers } = this.#written(request, { kind: "free" }, form, false);
    try {
      return { answer: await this.#post(body, signal, headers), form };
    } catch (error) {
      this.#takesKeeping = !isBadRequest(statusOf(error));
      throw error;
    }
  }

  #written(request: ModelRequest, output: OutputForm, form: Abilities, stream: boolean) {
    const conversation = this.#messages.conversation(request, form);
    const { body, betas } = wireRequest(request, conversation, output, form);
    const { model } = this.#options;
    const max_tokens = request.keep_only === true ? 0 : this.#limit(request, form);
    const headers = betas.length === 0 ? undefined : { "anthropic-beta": betas.join(",") };
    return { body: { model, max_tokens, ...body, stream }, headers };
  }

  #limit({ max_output_tokens = Infinity }: ModelRequest, { maxOutputTokens }: Abilities): number {
    const usual = Math.min(maxOutputTokens, this.#facts.output ?? Infinity);
    return Math.min(this.#options.maxOutputTokens ?? usual, max_output_tokens);
  }
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
      lesser: ({ text, status }: { text: string; status: number }, abilities: Abilities) =>
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
