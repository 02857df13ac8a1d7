import type { OpenAI } from "openai";
import type { ModelError, ModelErrorCode } from "../../core/ports/model.ts";
import type { Clock } from "../../core/ports/storage.ts";
import { type ModelSettings, NamedModel } from "../named-model.ts";
import { type Endpoint, toModelError } from "../provider-error.ts";
import { openAiServer } from "./client.ts";

/** How often, and after which delays, a service is asked. */
interface Attempts {
  clock: Pick<Clock, "sleep">;
  /** Maximum time of one attempt, ms. */
  maxMs: number;
  /** Attempts in all. */
  attempts: number;
  /** Delay before the next attempt, ms; undefined where there is none. */
  delayAfter(failure: ModelError | undefined): number | undefined;
}

/** A service of OpenAI's protocol besides the models for conversations: one model at one server. */
export class OpenAiService {
  readonly named: NamedModel;
  readonly endpoint: Endpoint;
  readonly #client: () => Promise<OpenAI>;
  readonly #attempts: Attempts;

  /** @throws ModelError `not_configured` for a name that is not `provider/model` of a known provider */
  constructor(name: string, settings: Pick<ModelSettings, "providers" | "prices">, attempts: Attempts) {
    this.named = new NamedModel(name, settings);
    const { provider, model, server } = this.named;
    const { endpoint, client } = openAiServer({ ...server, provider, model, timeoutMs: attempts.maxMs });
    this.endpoint = endpoint;
    this.#client = client;
    this.#attempts = attempts;
  }

  /** Asks until an attempt succeeds. @throws the error of the last attempt, or the signal's reason */
  async ask<Answer>(signal: AbortSignal, attempt: (api: OpenAI) => Promise<Answer>): Promise<Answer> {
    const { attempts, delayAfter, clock } = this.#attempts;
    for (let made = 1; ; made += 1) {
      try {
        return await attempt(await this.#client());
      } catch (error) {
        const isOver = made === attempts || signal.aborted;
        const delay = isOver ? undefined : delayAfter(toModelError(error, this.endpoint));
        if (delay === undefined) throw error;
        await clock.sleep(delay, signal);
      }
    }
  }
}

const words: Readonly<Record<ModelErrorCode, string>> = {
  rate_limited: "accepts no more requests for now; try again in a few minutes",
  overloaded: "is overloaded; try again in a few minutes",
  unavailable: "did not answer; try again in a moment",
  unauthorized: "refused the bot's key; an operator has to check it",
  declined: "refused this; its rules may not allow it",
  invalid_request: "refused this; its rules, its format or its length may be the reason",
  cut_off: "stopped early; ask for less",
  context_too_long: "takes less at once; make it shorter",
  bad_response: "sent something unreadable; an operator has to check it",
  not_configured: "does not know the model; an operator has to check it",
};

/** Codes of requests that the service will not take, however often they are sent. */
const refusals: ReadonlySet<ModelErrorCode> = new Set(["invalid_request", "declined", "context_too_long"]);

/** Why a service besides the models failed, for people, without names of servers. @param service `the service that makes pictures` */
export function serviceFailure(service: string, code: ModelErrorCode) {
  const kind = refusals.has(code) ? ("refused" as const) : ("failed" as const);
  return { kind, words: `${service} ${words[code]}` };
}
