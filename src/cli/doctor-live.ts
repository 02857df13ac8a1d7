import type { Config } from "../config/schema.ts";
import type { Clock } from "../core/clock.ts";
import { ModelError } from "../core/model.ts";
import { createModel } from "../models/create-model.ts";
import type { Finding } from "./doctor-finding.ts";

const patienceMs = 30_000;

/** Asks the chosen model for one word. Costs a few tokens. */
export async function checkLiveModel(
  { model }: Config,
  clock: Pick<Clock, "now" | "sleep">,
): Promise<Finding> {
  const name = "live model";
  if (model.choice === "offline") return { name, status: "ok", detail: "offline needs no server" };
  const { openai, anthropic, streaming } = model;
  const asked = createModel(
    {
      choice: model.choice,
      providers: {
        openai: { kind: "openai", apiKey: openai.api_key, baseUrl: openai.base_url, api: openai.api },
        anthropic: { kind: "anthropic", apiKey: anthropic.api_key, baseUrl: anthropic.base_url },
      },
      streaming,
      retry: { attempts: 1 },
      maxOutputTokens: 1000,
    },
    clock,
  );
  const began = clock.now();
  try {
    const events = asked.stream({
      system: "Answer with one word.",
      messages: [{ role: "user", text: "Say hello." }],
      tools: [],
      signal: AbortSignal.timeout(patienceMs),
    });
    for await (const event of events) {
      if (event.type !== "finished") continue;
      return { name, status: "ok", detail: `${event.model} answered in ${clock.now() - began} ms` };
    }
    return { name, status: "error", detail: `${model.choice} ended without an answer`, advice };
  } catch (error) {
    const reason =
      error instanceof ModelError ? error.message : `no answer in ${patienceMs / 1000} s (${String(error)})`;
    return { name, status: "error", detail: `${model.choice}: ${reason}`, advice };
  }
}

const advice = "Check the key, the model's name and the network; `knack config` shows what is in force.";
