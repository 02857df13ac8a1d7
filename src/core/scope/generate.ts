import { z } from "zod";
import { errorText } from "../../base/error-text.ts";
import { withTimeLimit } from "../../base/time-limit.ts";
import { type Model, ModelError, type ModelRequest } from "../ports/model.ts";
import { SkillFailure, toJsonSchema } from "../skill/define-skill.ts";
import type { ToolContext, WantedValue, WorkModel } from "../skill/tool.ts";
import type { Json } from "../values/json.ts";
import type { Message } from "../values/message.ts";
import { workModel } from "./chosen-model.ts";
import type { TurnScope } from "./turn-scope.ts";

/** Maximum attempts to get an answer that matches the schema. */
const maxAttempts = 3;

/** Asks the model for one JSON value of a schema, without tools. An answer that does not match is sent back with the reason. */
export function generateWith<Schema extends z.ZodType>(
  scope: TurnScope,
  asked: WantedValue<Schema>,
  signal: AbortSignal,
): Promise<z.infer<Schema>> {
  const { longest_ms: ms } = asked;
  if (ms === undefined) return generateWithin(scope, asked, signal);
  const late = () => new ModelError("unavailable", `The model did not answer within ${ms / 1000} s.`);
  return withTimeLimit({ ms, timer: scope.ports.clock, signal, late }, (limited) =>
    generateWithin(scope, asked, limited),
  );
}

/** Effort and tokens for a thought of a few lines; the tokens include reasoning. */
const little = { effort: "low", max_output_tokens: 4_000 } as const;

async function generateWithin<Schema extends z.ZodType>(
  scope: TurnScope,
  asked: WantedValue<Schema>,
  signal: AbortSignal,
): Promise<z.infer<Schema>> {
  const limits = asked.brief ? little : {};
  const model = writingModel(scope, asked.model);
  const output_schema = toJsonSchema(asked.schema);
  // The model adapter passes the schema on, natively or in words.
  const system = `${asked.instructions}\nAnswer with one JSON value and nothing else.`;
  const messages: Message[] = [{ role: "user", text: asked.input }];
  let problem = "";
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const text = await complete(scope, model, {
      system,
      messages,
      tools: [],
      output_schema,
      signal,
      ...limits,
    });
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

/** Asks the model for a text, with one plain message. @throws ModelError, including for an empty answer */
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

/** @throws SkillFailure `over_budget`: a skill may ask many times, long after its turn began */
async function complete(scope: TurnScope, model: Model, request: ModelRequest): Promise<string> {
  const over = await scope.turn.link.overBudget(scope.namespace.settings);
  if (over !== undefined) throw new SkillFailure("over_budget", `The model is not asked any more: ${over}.`);
  for await (const event of model.stream(request)) {
    if (event.type !== "finished" && event.type !== "spent") continue;
    await scope.emit({ type: "usage", model: event.model, ...event.usage });
    if (event.type === "finished") return event.message.text;
  }
  throw new ModelError("bad_response", "The model ended without an answer.");
}

type Parsed<T> = { ok: true; value: T } | { ok: false; problem: string };

/** The value of a schema in a model's answer, or what does not fit. */
export function parseAnswer<Schema extends z.ZodType>(text: string, schema: Schema): Parsed<z.infer<Schema>> {
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

/** Text from the first bracket to the last: models wrap JSON in code fences and remarks. */
function jsonPart(text: string): string {
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]"));
  return start === -1 || end < start ? text : text.slice(start, end + 1);
}

/**
 * Asks the model for one value of a schema in a step of its own: after a crash the value comes from the log and the model is not asked
 * again.
 * @throws the errors of `generate`
 */
export async function generateStep<Schema extends z.ZodType>(
  step: string,
  asked: WantedValue<Schema>,
  context: Pick<ToolContext, "step" | "generate">,
): Promise<z.output<Schema>> {
  return asked.schema.parse(await context.step(step, async () => (await context.generate(asked)) as Json));
}

/** Failures in a row after which the remaining parts are skipped: the fault then lies with the model, not with a part. */
const maxFailures = 3;

interface PartWork<Part, Found> {
  /** The verb of the progress note, e.g. `Reading` in `Reading part 2 of 9`. */
  doing: string;
  /** No part starts after this time, ms: a partial result is worth more than a tool that timed out. */
  longest_ms: number;
  /** Has a model process a part. `at` counts from 0. */
  work(part: Part, at: number): Promise<Found>;
}

/**
 * Processes the parts of something long in order and keeps the successful results. A part is undefined if the model failed on it, or if
 * time or budget ran out before it.
 * @throws the first failure when no part succeeded
 */
export async function partByPart<Part, Found>(
  parts: readonly Part[],
  { doing, longest_ms, work }: PartWork<Part, Found>,
  context: Pick<ToolContext, "now" | "progress" | "signal">,
): Promise<readonly (Found | undefined)[]> {
  const end = context.now() + longest_ms;
  const found: (Found | undefined)[] = parts.map(() => undefined);
  const failures: (ModelError | SkillFailure)[] = [];
  let inARow = 0;
  for (const [at, part] of parts.entries()) {
    if (inARow >= maxFailures || (at > 0 && context.now() > end)) break;
    if (parts.length > 1) context.progress(`${doing} part ${at + 1} of ${parts.length}`, at, parts.length);
    try {
      found[at] = await work(part, at);
      inARow = 0;
    } catch (error) {
      failures.push(expected(error, context.signal));
      // Without a budget every further part would fail too.
      inARow = error instanceof SkillFailure ? maxFailures : inARow + 1;
    }
  }
  const [first] = failures;
  if (first !== undefined && found.every((each) => each === undefined)) throw first;
  return found;
}

/** Groups items in order into parts of at most `maxCharacters` each. A longer item is a part of its own. */
export function groupedBy<Item>(
  items: readonly Item[],
  maxCharacters: number,
  lengthOf: (item: Item) => number,
): Item[][] {
  const parts: Item[][] = [];
  let length = maxCharacters;
  for (const item of items) {
    if (parts.length === 0 || length + lengthOf(item) > maxCharacters) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)?.push(item);
    length += lengthOf(item);
  }
  return parts;
}

/** Returns the error if it is a failure of one part. @throws every other error, and the signal's reason */
export function expected(error: unknown, signal: AbortSignal): ModelError | SkillFailure {
  signal.throwIfAborted();
  if (error instanceof ModelError || error instanceof SkillFailure) return error;
  throw error;
}
