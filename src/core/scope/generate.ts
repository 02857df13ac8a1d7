import { z } from "zod";
import { errorText } from "../../base/error-text.ts";
import { type Model, ModelError, type ModelRequest } from "../ports/model.ts";
import { SkillFailure, toJsonSchema } from "../skill/define-skill.ts";
import type { WorkModel } from "../skill/tool.ts";
import type { Message } from "../values/message.ts";
import { workModel } from "./chosen-model.ts";
import type { TurnScope } from "./turn-scope.ts";

/** How often a model is asked again for an answer that fits its schema. */
const attempts = 3;

/** Asks the model for one JSON value of a schema, without tools. An answer that does not fit is sent back with the reason. */
export async function generateWith<Schema extends z.ZodType>(
  scope: TurnScope,
  asked: { instructions: string; input: string; schema: Schema; model?: WorkModel | undefined },
  signal: AbortSignal,
): Promise<z.infer<Schema>> {
  const model = writingModel(scope, asked.model);
  const output_schema = toJsonSchema(asked.schema);
  // The adapter tells the schema: as the provider wants it, or in words.
  const system = `${asked.instructions}\nAnswer with one JSON value and nothing else.`;
  const messages: Message[] = [{ role: "user", text: asked.input }];
  let problem = "";
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const text = await complete(scope, model, { system, messages, tools: [], output_schema, signal });
    const parsed = parseAnswer(text, asked.schema);
    if (parsed.ok) return parsed.value;
    problem = parsed.problem;
    messages.push({ role: "assistant", text, tool_calls: [] });
    messages.push({
      role: "user",
      text: `That does not fit: ${problem}\nAnswer again with the JSON value alone.`,
    });
  }
  throw new ModelError("bad_response", `The model's answer did not fit what was asked: ${problem}`);
}

/** Asks the model for a text, with one plain message. @throws ModelError, also when the answer is empty */
export async function writeWith(
  scope: TurnScope,
  {
    input,
    instructions = "",
    model: wanted,
  }: { input: string; instructions?: string | undefined; model?: WorkModel | undefined },
  signal: AbortSignal,
): Promise<string> {
  const model = writingModel(scope, wanted);
  const messages: Message[] = [{ role: "user", text: input }];
  const text = await complete(scope, model, { system: instructions, messages, tools: [], signal });
  if (text.trim() === "") throw new ModelError("bad_response", "The model answered nothing.");
  return text;
}

function writingModel(scope: TurnScope, wanted: WorkModel | undefined): Model {
  const model = workModel(scope, wanted);
  if (!model.generative) throw new ModelError("not_configured", "No model that can write is configured.");
  return model;
}

/** @throws SkillFailure `over_budget`: a skill may ask often, long after its turn began */
async function complete(scope: TurnScope, model: Model, request: ModelRequest): Promise<string> {
  const over = scope.ports.overBudget();
  if (over !== undefined) throw new SkillFailure("over_budget", `The model is not asked any more: ${over}.`);
  for await (const event of model.stream(request)) {
    if (event.type !== "finished") continue;
    await scope.emit({ type: "usage", model: event.model, ...event.usage });
    return event.message.text;
  }
  throw new ModelError("bad_response", "The model ended without an answer.");
}

type Parsed<T> = { ok: true; value: T } | { ok: false; problem: string };

function parseAnswer<Schema extends z.ZodType>(text: string, schema: Schema): Parsed<z.infer<Schema>> {
  let value: unknown;
  try {
    value = JSON.parse(jsonPart(text));
  } catch (error) {
    return { ok: false, problem: `not JSON: ${errorText(error)}` };
  }
  const parsed = schema.safeParse(value);
  return parsed.success
    ? { ok: true, value: parsed.data }
    : { ok: false, problem: z.prettifyError(parsed.error) };
}

/** From the first bracket to the last one: models wrap JSON in fences and remarks. */
function jsonPart(text: string): string {
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]"));
  return start === -1 || end < start ? text : text.slice(start, end + 1);
}
