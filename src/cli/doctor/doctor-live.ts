import { providerOfModel } from "../../config/model-providers.ts";
import type { Config } from "../../config/schema.ts";
import { type Model, ModelError, type ModelErrorCode, type ModelRequest } from "../../core/ports/model.ts";
import type { Clock } from "../../core/ports/storage.ts";
import type { AssistantMessage, Message } from "../../core/values/message.ts";
import { createModel, smallModelBeside } from "../../models/create-model.ts";
import { modelSettings } from "../../wiring/app-settings.ts";
import type { Finding } from "./doctor-finding.ts";

/** Timeout of one request to a model, ms; a local server may have to load the model first. */
const requestTimeoutMs = { hosted: 60_000, local: 300_000 };

/** Enough for a model that thinks before a short answer. */
const maxOutputTokens = 2_000;

type Verdict = Pick<Finding, "status" | "detail" | "advice">;
type Ask = (
  request: Omit<ModelRequest, "signal" | "tools"> & Partial<ModelRequest>,
) => Promise<AssistantMessage>;

/** A test of one capability of a model. */
interface Trial {
  name: string;
  /** The consequence for people if the model lacks it. */
  lack: string;
  /** Error codes of a reachable model that lacks it. */
  refusals: readonly ModelErrorCode[];
  /** Undefined on success, otherwise the unexpected result. */
  run(ask: Ask): Promise<string | undefined>;
}

/**
 * Tests each configured model: a tool call with its result, a picture and a structured answer. Costs at most a few cents. A
 * model that does not answer is an error; a missing capability is a warning.
 * @param say called with the current test
 */
export async function* checkLiveModels(
  config: Config,
  configured: readonly string[],
  clock: Pick<Clock, "now" | "sleep">,
  say: (progress: string) => void,
): AsyncGenerator<Finding> {
  const { choice, small } = config.model;
  const beside = small === "auto" ? smallModelBeside(choice, modelSettings(config)) : undefined;
  const names = new Set([...configured, ...(beside === undefined ? [] : [beside])]);
  if (names.size === 0) yield { name: "live model", status: "ok", detail: "offline needs no server" };
  for (const name of names) yield* checkLiveModel(name, config, clock, say);
}

async function* checkLiveModel(
  name: string,
  config: Config,
  clock: Pick<Clock, "now" | "sleep">,
  say: (progress: string) => void,
): AsyncGenerator<Finding> {
  const settings = modelSettings(config);
  const retry = { attempts: 1 };
  const model = createModel({ ...settings, choice: name, failover: [], retry, maxOutputTokens }, clock);
  const isLocal = providerOfModel(name, config.model)?.preset.local === true;
  const limitMs = isLocal ? requestTimeoutMs.local : requestTimeoutMs.hosted;
  for (const trial of trials) {
    say(`Trying ${trial.name} with ${name}, at most ${limitMs / 1000} s …`);
    const verdict = await judge(trial, model, clock, limitMs);
    yield { name: `live model ${name}`, ...verdict };
    // The other tests would fail in the same way.
    if (verdict.status === "error") return;
  }
}

async function judge(
  { name, lack, refusals, run }: Trial,
  model: Model,
  clock: Pick<Clock, "now">,
  limitMs: number,
): Promise<Verdict> {
  const signal = AbortSignal.timeout(limitMs);
  const began = clock.now();
  const ask: Ask = async (request) => {
    for await (const event of model.stream({ tools: [], ...request, signal })) {
      if (event.type === "finished") return event.message;
    }
    throw new ModelError("bad_response", `${model.id} ended without an answer.`);
  };
  try {
    const instead = await run(ask);
    const duration = `${((clock.now() - began) / 1000).toFixed(1)} s`;
    if (instead === undefined) return { status: "ok", detail: `${name} work (${duration})` };
    return { status: "warning", detail: `${name}: ${instead}`, advice: lack };
  } catch (error) {
    if (error instanceof ModelError && refusals.includes(error.code)) {
      return { status: "warning", detail: `${name}: ${error.message}`, advice: lack };
    }
    const reason = error instanceof ModelError ? error.message : failureWords(error, signal, limitMs);
    return { status: "error", detail: reason, advice };
  }
}

function failureWords(error: unknown, signal: AbortSignal, limitMs: number): string {
  return signal.aborted ? `no answer in ${limitMs / 1000} s` : String(error);
}

const advice = "Check the key, the model's name and the network; `knack config` shows what is in force.";

const trials: readonly Trial[] = [
  {
    name: "tools",
    lack: "Skills hardly work with it. Choose a model that calls tools; `knack models` lists what there is.",
    refusals: ["invalid_request", "cut_off", "declined"],
    run: tryTools,
  },
  {
    name: "pictures",
    lack: "Pictures that people send are described to it as missing. Choose another model if people will send some.",
    refusals: ["invalid_request", "context_too_long", "bad_response", "cut_off", "declined"],
    run: tryPicture,
  },
  {
    name: "structured answers",
    lack: "Summaries and what is extracted from texts may fail. Another model for inner work can be set as model.small.",
    refusals: ["invalid_request", "bad_response", "cut_off", "declined"],
    run: tryStructure,
  },
];

/** A text that no model guesses. */
const passphrase = "marmalade-4711";

async function tryTools(ask: Ask): Promise<string | undefined> {
  const tool = {
    name: "read_passphrase",
    description: "Reads today's passphrase.",
    parameters: { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
  };
  const system = "Use the tool you have, then answer in a few words.";
  const messages: Message[] = [{ role: "user", text: "What is the passphrase of today? The day is Monday." }];
  const called = await ask({ system, messages, tools: [tool] });
  const [call] = called.tool_calls;
  if (call === undefined) return "it answered without the tool it was to call";
  const results = called.tool_calls.map(
    ({ id, name }): Message => ({
      role: "tool",
      call_id: id,
      tool: name,
      is_error: false,
      text: `The passphrase is ${passphrase}.`,
    }),
  );
  const answer = await ask({ system, messages: [...messages, called, ...results], tools: [tool] });
  return answer.text.includes(passphrase) ? undefined : "it called the tool and did not use the result";
}

async function tryPicture(ask: Ask): Promise<string | undefined> {
  const image = { media_type: "image/png" as const, base64: magentaPng };
  const message: Message = {
    role: "user",
    text: "Which colour fills this picture? Answer with one word.",
    images: [image],
  };
  const { text } = await ask({ system: "Answer with one word.", messages: [message] });
  return /magenta|purple|pink|violet|fuchsia/i.test(text) ? undefined : "not taken, or not seen";
}

async function tryStructure(ask: Ask): Promise<string | undefined> {
  const schema = {
    type: "object",
    properties: { city: { type: "string" }, guests: { type: "integer" } },
    required: ["city", "guests"],
    additionalProperties: false,
  };
  const messages: Message[] = [{ role: "user", text: "Dinner in Lisbon, table for seven. City and guests?" }];
  const { text } = await ask({ system: "Extract what is asked.", messages, output_schema: schema });
  const value = JSON.parse(text) as { city?: unknown; guests?: unknown };
  return value.city === "Lisbon" && value.guests === 7 ? undefined : "it gave other values than the text has";
}

/** A picture of 64 by 64 pixels of the colour #c800c8, as base64; some servers refuse smaller ones. */
const magentaPng =
  "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAATUlEQVR42u3PMQkAAAwDsPpXVlmT0HsQiIGk6WsREBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEFgOiS0BeDOam4EAAAAASUVORK5CYII=";
