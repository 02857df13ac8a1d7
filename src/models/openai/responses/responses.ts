import type { OpenAI } from "openai";
import type { ModelRequest } from "../../../core/ports/model.ts";
import { toolsNow } from "../../../core/transcript/keep-transcript.ts";
import { type Json, type JsonSchema, objectOf } from "../../../core/values/json.ts";
import type { ModelFacts } from "../../catalogue/model-facts.ts";
import { effortNow, nearestEffort } from "../../effort.ts";
import { readChunks } from "../../event-stream.ts";
import type { Body } from "../../post-json.ts";
import { type Dialect, factsOf, type ProviderModelOptions } from "../../provider-model.ts";
import { type OutputForm, objectSchema, outputName } from "../../structured-output.ts";
import type { OpenAiServer } from "../client.ts";
import { createWireForms } from "../wire-forms.ts";
import { createResponsesReader, isLastEvent, wholeResponsesAnswer } from "./responses-answer.ts";
import {
  firstResponsesForm,
  hasToolItems,
  type Proof,
  type ResponsesForm,
  responsesConcessions,
  responsesFormName,
} from "./responses-form.ts";
import { createResponsesInput, type ResponsesInput } from "./responses-input.ts";

type ResponsesBody = Body<OpenAI.Responses.ResponseCreateParams>;

/** The API refuses a lower limit. */
const minOutputTokens = 16;

/** The default limit, including reasoning. */
const usualOutputTokens = 32_000;

/** OpenAI's Responses API: https://developers.openai.com/api/docs/api-reference/responses. Nothing is stored there. */
export function createResponsesDialect(
  options: ProviderModelOptions,
  { endpoint, postTo }: OpenAiServer,
): Dialect<OpenAI.Responses.ResponseStreamEvent> {
  const { model, provider = "openai", maxOutputTokens } = options;
  const post = postTo("/responses");
  const facts = factsOf(options, endpoint);
  const self = { provider, model };
  const input = createResponsesInput(self);
  const proof: Proof = { items: false };
  const asTaken = createWireForms(firstResponsesForm(model), responsesConcessions(proof), endpoint);
  const known = facts.output ?? usualOutputTokens;
  const limit = Math.max(minOutputTokens, maxOutputTokens ?? Math.min(known, usualOutputTokens));

  const bodyOf =
    (request: ModelRequest, output: OutputForm) =>
    (form: ResponsesForm): ResponsesBody => ({
      model,
      store: false,
      instructions: request.system || undefined,
      input: input.ofRequest(request, form),
      ...toolsPart(input, request, form, output),
      include: form.encrypted ? ["reasoning.encrypted_content"] : undefined,
      reasoning: reasoningOf(facts, request, form),
      max_output_tokens: form.limit ? Math.min(limit, request.max_output_tokens ?? limit) : undefined,
      prompt_cache_key: form.cacheKey ? request.cache?.key : undefined,
      text: formatOf(output),
    });
  const exchange = (request: ModelRequest, form: ResponsesForm) => {
    if (hasToolItems(request, form)) proof.items = true;
    return { request, endpoint, owner: { ...self, form: responsesFormName(form) } };
  };

  return {
    async open(request, output, signal) {
      const { form, answer } = await asTaken(request, bodyOf(request, output), (body) =>
        post({ ...body, stream: true }, signal),
      );
      const reader = createResponsesReader(exchange(request, form));
      return { reads: readChunks(answer, isLastEvent), reader };
    },
    async complete(request, output, signal) {
      const { form, answer } = await asTaken(request, bodyOf(request, output), (body) =>
        post({ ...body, stream: false }, signal),
      );
      const whole = (await answer.json()) as OpenAI.Responses.Response;
      return wholeResponsesAnswer(whole, exchange(request, form));
    },
  };
}

/** Tools stay in a request that forbids calls: they are part of the cached prompt. */
function toolsPart(
  input: ResponsesInput,
  request: ModelRequest,
  form: ResponsesForm,
  output: OutputForm,
): ResponsesBody {
  const now = toolsNow(request, "keep");
  const listed = form.additions === "tools" ? now : form.additions === "tool_search" ? request.tools : [];
  const tools = listed.length === 0 ? {} : { tools: input.ofTools(listed) };
  const mayCall = request.no_calls !== true && output.kind === "free";
  return mayCall || now.length === 0 || !form.toolChoice ? tools : { ...tools, tool_choice: "none" };
}

/** Where input items change the effort, the request keeps the effort of the opening. */
function reasoningOf({ efforts }: ModelFacts, request: ModelRequest, form: ResponsesForm) {
  const wanted = form.updatesEffort ? request.effort : effortNow(request);
  const nearest = wanted && efforts ? nearestEffort(wanted, efforts) : wanted;
  const reasoning: Body<OpenAI.Reasoning> = {
    effort: form.effort ? nearest : undefined,
    summary: form.summary ? "auto" : undefined,
    context: form.allTurns ? "all_turns" : undefined,
  };
  return Object.values(reasoning).some(Boolean) ? (reasoning as OpenAI.Reasoning) : undefined;
}

function formatOf(output: OutputForm): ResponsesBody["text"] {
  if (output.kind !== "schema") return undefined;
  const schema = objectSchema(output.schema);
  const strict = isStrictSchema(schema);
  return { format: { type: "json_schema", name: outputName, schema, strict } };
}

/** Keywords that OpenAI's strict mode does not support. */
const refused =
  `allOf oneOf not if then else dependentRequired dependentSchemas patternProperties propertyNames
  unevaluatedProperties prefixItems contains default`.split(/\s+/);

/**
 * Whether strict mode supports a schema: every object requires all its properties and allows no others.
 * https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas
 */
function isStrictSchema(schema: JsonSchema): boolean {
  return schema.type === "object" && isStrict(schema);
}

function isStrict(value: Json | undefined): boolean {
  const schema = objectOf(value);
  if (Object.keys(schema).length === 0 || refused.some((keyword) => keyword in schema)) return false;
  if (schema.type === "object" && !isClosed(schema)) return false;
  return partsOf(schema).every(isStrict);
}

function isClosed({ properties, required, additionalProperties }: JsonSchema): boolean {
  const names = Object.keys(objectOf(properties));
  return (
    additionalProperties === false &&
    Array.isArray(required) &&
    names.every((name) => required.includes(name))
  );
}

function partsOf({ properties, items, anyOf, $defs, type }: JsonSchema): (Json | undefined)[] {
  return [
    ...Object.values(objectOf(properties)),
    ...Object.values(objectOf($defs)),
    ...(Array.isArray(anyOf) ? anyOf : []),
    ...(items !== undefined || type === "array" ? [items] : []),
  ];
}
