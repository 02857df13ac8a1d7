import type { OpenAI } from "openai";
import type { ModelRequest } from "../../../core/ports/model.ts";
import { toolsNow } from "../../../core/transcript/keep-transcript.ts";
import { type Json, type JsonSchema, objectOf } from "../../../core/values/json.ts";
import type { ModelFacts } from "../../catalogue/model-facts.ts";
import { effortNow, nearestEffort } from "../../effort.ts";
import type { Body } from "../../post-json.ts";
import { type CalledModel, type Dialect, factsOf } from "../../provider-model.ts";
import { type OutputForm, objectSchema, outputName } from "../../structured-output.ts";
import { WireForms } from "../../wire-forms.ts";
import type { OpenAiServer } from "../client.ts";
import { ResponsesReader } from "./responses-answer.ts";
import {
  firstResponsesForm,
  hasToolItems,
  type Proof,
  type ResponsesForm,
  responsesConcessions,
  responsesFormName,
} from "./responses-form.ts";
import { ResponsesInput } from "./responses-input.ts";

type ResponsesBody = Body<OpenAI.Responses.ResponseCreateParams>;

/** The API refuses a lower limit. */
const minOutputTokens = 16;

/** The default limit, including reasoning. */
const usualOutputTokens = 32_000;

/** OpenAI's Responses API: https://developers.openai.com/api/docs/api-reference/responses. Nothing is stored there. */
export function createResponsesDialect(
  options: CalledModel,
  { endpoint, postTo }: OpenAiServer,
): Dialect<OpenAI.Responses.ResponseStreamEvent> {
  const { model, provider = "openai", maxOutputTokens } = options;
  const facts = factsOf(options, endpoint);
  const self = { provider, model };
  const input = new ResponsesInput(self);
  const proof: Proof = { items: false };
  const concessions = responsesConcessions(proof);
  const forms = new WireForms(postTo("/responses"), firstResponsesForm(model), concessions, endpoint);
  const known = facts.output ?? usualOutputTokens;
  const limit = Math.max(minOutputTokens, maxOutputTokens ?? Math.min(known, usualOutputTokens));

  const bodyOf = (request: ModelRequest, output: OutputForm, form: ResponsesForm): ResponsesBody => ({
    model,
    store: false,
    instructions: request.system || undefined,
    input: input.ofRequest(request, form),
    ...toolsPart(input, request, output, form),
    include: form.encrypted ? ["reasoning.encrypted_content"] : undefined,
    reasoning: reasoningOf(facts, request, form),
    max_output_tokens: form.limit ? Math.min(limit, request.max_output_tokens ?? limit) : undefined,
    prompt_cache_key: form.cacheKey ? request.cache?.key : undefined,
    text: formatOf(output),
  });

  return {
    async send(request, output, { stream, signal }) {
      const write = (form: ResponsesForm) => ({ body: { ...bodyOf(request, output, form), stream } });
      const { form, answer } = await forms.send(request, signal, write);
      if (hasToolItems(request, form)) proof.items = true;
      const owner = { ...self, form: responsesFormName(form) };
      return { answer, reader: new ResponsesReader({ request, endpoint, owner }) };
    },
  };
}

/** Tools stay in a request that forbids calls: they are part of the cached prompt. */
function toolsPart(
  input: ResponsesInput,
  request: ModelRequest,
  output: OutputForm,
  form: ResponsesForm,
): ResponsesBody {
  const now = toolsNow(request, "keep");
  const listed = form.additions === "tools" ? now : form.additions === "tool_search" ? request.tools : [];
  const mayCall = request.no_calls !== true && output.kind === "free";
  return {
    tools: listed.length === 0 ? undefined : input.ofTools(listed),
    tool_choice: mayCall || now.length === 0 || !form.toolChoice ? undefined : "none",
  };
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
