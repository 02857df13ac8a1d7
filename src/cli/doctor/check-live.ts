import { providerOfModel } from "../../config/model-providers.ts";
import type { Config } from "../../config/schema.ts";
import { type Model, ModelError, type ModelErrorCode, type ModelRequest } from "../../core/ports/model.ts";
import type { Clock } from "../../core/ports/storage.ts";
import type { AssistantMessage, Message } from "../../core/values/message.ts";
import { createModel } from "../../models/create-models.ts";
import { NamedModel } from "../../models/named-model.ts";
import { modelSettings } from "../../wiring/app-settings.ts";
import { type Finding, failure, fine, warning } from "./doctor-finding.ts";

/** Timeout of one test, s; a local server may have to load the model first. */
const timeoutSeconds = { hosted: 60, local: 300 };

/** Enough for a model that thinks before a short answer. */
const maxOutputTokens = 2_000;

type Ask = (request: Pick<ModelRequest, "messages"> & Partial<ModelRequest>) => Promise<AssistantMessage>;

/** A test of one capability of a model. */
interface Trial {
  name: string;
  /** The consequence for people if the model lacks it. */
  lack: string;
  /** Undefined on success, otherwise the unexpected result. */
  run(ask: Ask): Promise<string | undefined>;
}

/** Error codes of a reachable model that lacks a capability. */
const refusals: readonly ModelErrorCode[] = [
  "invalid_request",
  "context_too_long",
  "bad_response",
  "cut_off",
  "declined",
];

const advice = "Check the key, the model's name and the network; `knack config` shows what is in force.";

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
  const settings = modelSettings(config);
  const { choice, small } = config.model;
  const isAuto = small === "auto" && choice !== "offline";
  const beside = isAuto ? new NamedModel(choice, settings).small : undefined;
  const names = new Set([...configured, beside].filter((name) => name !== undefined));
  if (names.size === 0) yield fine("live model", "offline needs no server");
  for (const choice of names) {
    const retry = { attempts: 1 };
    const model = createModel({ ...settings, choice, failover: [], retry, maxOutputTokens }, clock);
    const isLocal = providerOfModel(choice, config.model)?.preset.local === true;
    const seconds = isLocal ? timeoutSeconds.local : timeoutSeconds.hosted;
    for (const trial of trials) {
      say(`Trying ${trial.name} with ${choice}, at most ${seconds} s …`);
      const finding = await judge(trial, model, seconds);
      yield { ...finding, name: `live model ${choice}` };
      // The other tests would fail in the same way.
      if (finding.status === "error") break;
    }
  }
}

async function judge({ name, lack, run }: Trial, model: Model, seconds: number): Promise<Finding> {
  const signal = AbortSignal.timeout(seconds * 1000);
  const began = performance.now();
  try {
    const instead = await run(async (request) => {
      for await (const event of model.stream({ system: "", tools: [], ...request, signal })) {
        if (event.type === "finished") return event.message;
      }
      throw new ModelError("unavailable", `${model.id} ended without an answer.`);
    });
    if (instead !== undefined) return warning(name, `${name}: ${instead}`, lack);
    return fine(name, `${name} work (${((performance.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    if (!(error instanceof ModelError))
      return failure(name, signal.aborted ? `no answer in ${seconds} s` : String(error), advice);
    if (refusals.includes(error.code)) return warning(name, `${name}: ${error.message}`, lack);
    return failure(name, error.message, advice);
  }
}

const trials: readonly Trial[] = [
  {
    name: "tools",
    lack: "Skills hardly work with it. Choose a model that calls tools; `knack models` lists what there is.",
    async run(ask) {
      const properties = { day: { type: "string" } };
      const parameters = { type: "object", properties, required: ["day"] };
      const tools = [{ name: "read_passphrase", description: "Reads today's passphrase.", parameters }];
      const question = user("What is the passphrase of today? The day is Monday.");
      const called = await ask({ messages: [question], tools });
      if (called.tool_calls.length === 0) return "it answered without the tool it was to call";
      const results = called.tool_calls.map(({ id, name }): Message => {
        const text = `The passphrase is ${passphrase}.`;
        return { role: "tool", call_id: id, tool: name, is_error: false, text };
      });
      const answer = await ask({ messages: [question, called, ...results], tools });
      return answer.text.includes(passphrase) ? undefined : "it called the tool and did not use the result";
    },
  },
  {
    name: "pictures",
    lack: "Pictures that people send are described to it as missing. Choose another model if people will send some.",
    async run(ask) {
      const question = "Is this picture filled with magenta, yellow or green? Answer with that word.";
      const image = { media_type: "image/png" as const, base64: magentaPng };
      const { text } = await ask({ messages: [{ ...user(question), images: [image] }] });
      return text.toLowerCase().includes("magenta") ? undefined : "not taken, or not seen";
    },
  },
  {
    name: "structured answers",
    lack: "Summaries and what is extracted from texts may fail. Another model for inner work can be set as model.small.",
    async run(ask) {
      const properties = { city: { type: "string" }, guests: { type: "integer" } };
      const required = ["city", "guests"];
      const output_schema = { type: "object", properties, required, additionalProperties: false };
      const messages = [user("Dinner in Lisbon, table for seven. City and guests?")];
      const value = JSON.parse((await ask({ messages, output_schema })).text);
      return value.city === "Lisbon" && value.guests === 7
        ? undefined
        : "it gave other values than the text has";
    },
  },
];

function user(text: string): Extract<Message, { role: "user" }> {
  return { role: "user", text };
}

/** A text that no model guesses. */
const passphrase = "marmalade-4711";

/** A picture of 64 by 64 pixels of the colour #c800c8, as base64; some servers refuse smaller ones. */
const magentaPng =
  "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAATUlEQVR42u3PMQkAAAwDsPpXVlmT0HsQiIGk6WsREBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEFgOiS0BeDOam4EAAAAASUVORK5CYII=";
