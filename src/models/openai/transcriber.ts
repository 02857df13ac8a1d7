import { withTimeLimit } from "../../base/time-limit.ts";
import type { Usage } from "../../core/log/usage.ts";
import {
  type Recording,
  type Transcriber,
  type Transcription,
  TranscriptionError,
} from "../../core/ports/documents.ts";
import type { ModelErrorCode } from "../../core/ports/model.ts";
import type { Clock } from "../../core/ports/storage.ts";
import { type Json, type JsonObject, objectOf } from "../../core/values/json.ts";
import { delayAfter, type Endpoint, notAnAnswer, toModelError } from "../provider-error.ts";
import type { ProviderModelOptions } from "../provider-model.ts";
import { type OpenAiClient, openAiServer, withRetries } from "./client.ts";

/** The server's count of what it bills: tokens or seconds. */
export type Metered =
  | { input_tokens: number; output_tokens: number; seconds?: undefined }
  | { seconds: number };

export interface TranscriberOptions extends Omit<ProviderModelOptions, "timeoutMs"> {
  /** Usage with its cost. */
  usageOf(metered: Metered | undefined): Usage;
}

/** Maximum time of one attempt, ms: the slowest services take about a minute for 25 minutes of speech. */
const maxMs = 120_000;
/** Delay before the second attempt where the server does not name one, and the maximum that it may name, ms. */
const delays = { usual: 1_000, max: 10_000 };

/**
 * Transcribes with the endpoint `/audio/transcriptions` of OpenAI, Groq, Mistral, Together, Azure and self-hosted servers. Retries once
 * after a transient failure. https://developers.openai.com/docs/guides/speech-to-text
 */
export function createOpenAiTranscriber(
  options: TranscriberOptions,
  clock: Pick<Clock, "after" | "sleep">,
): Transcriber {
  const { model } = options;
  const { endpoint, client } = openAiServer({ ...options, timeoutMs: maxMs });
  const attempt = async (recording: Recording, signal: AbortSignal): Promise<Transcription> => {
    const late = () =>
      new TranscriptionError("failed", `it took longer than ${maxMs / 1_000} s; try a shorter one`);
    const heard = await withTimeLimit({ ms: maxMs, timer: clock, signal, late }, async (limit) =>
      ask(await client(), endpoint, model, recording, limit),
    );
    const usage = options.usageOf(heard.metered ?? secondsOf(recording));
    return {
      text: heard.text,
      seconds: recording.seconds ?? heard.metered?.seconds,
      model: endpoint.id,
      usage,
    };
  };
  return {
    async transcribe(recording, signal) {
      const after = (error: unknown) => delayAfter(toModelError(error, endpoint), delays);
      try {
        return await withRetries({ attempts: 2, delayAfter: after, clock, signal }, () =>
          attempt(recording, signal),
        );
      } catch (error) {
        throw failureOf(error, endpoint, signal);
      }
    },
  };
}

async function ask(
  client: OpenAiClient,
  endpoint: Endpoint,
  model: string,
  recording: Recording,
  signal: AbortSignal,
): Promise<{ text: string; metered: Metered | undefined }> {
  const file = new File([Buffer.from(recording.data)], nameFor(recording), { type: recording.media_type });
  // Servers send less than the SDK's types say: some answer with the text alone, or with a web page.
  const answer: unknown = await client.audio.transcriptions.create(
    { file, model, response_format: "json" },
    { signal },
  );
  const { text, usage } = objectOf(answer as Json);
  if (typeof text !== "string") throw notAnAnswer(endpoint, "a transcription", answer);
  return { text, metered: meteredOf(objectOf(usage)) };
}

/** Mistral reports both and bills seconds. */
function meteredOf(usage: JsonObject): Metered | undefined {
  const seconds = usage.seconds ?? usage.prompt_audio_seconds;
  if (typeof seconds === "number") return { seconds };
  const { input_tokens, output_tokens } = usage;
  if (typeof input_tokens !== "number" || typeof output_tokens !== "number") return undefined;
  return { input_tokens, output_tokens };
}

function secondsOf({ seconds }: Recording): Metered | undefined {
  return seconds === undefined ? undefined : { seconds };
}

/** File extensions by which services recognise a format. */
const known = /\.(flac|mp3|mp4|mpeg|mpga|m4a|ogg|wav|webm)$/i;
const endings: Readonly<Record<string, string>> = {
  "audio/flac": "flac",
  "audio/m4a": "m4a",
  "audio/mp3": "mp3",
  "audio/mp4": "m4a",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "audio/opus": "ogg",
  "audio/wav": "wav",
  "audio/webm": "webm",
  "audio/x-flac": "flac",
  "audio/x-m4a": "m4a",
  "audio/x-wav": "wav",
};

/** The file's name, with an extension for its format. */
function nameFor({ name, media_type }: Recording): string {
  const ending = endings[media_type.split(";", 1)[0]?.trim() ?? ""];
  return known.test(name) || ending === undefined ? name : `${name}.${ending}`;
}

/** Messages for people, without names of servers. */
const words: Readonly<Record<ModelErrorCode, string>> = {
  rate_limited: "the service that transcribes accepts no more requests for now; try again in a few minutes",
  overloaded: "the service that transcribes is overloaded; try again in a few minutes",
  unavailable: "the service that transcribes did not answer; try again in a moment",
  unauthorized: "the service that transcribes refused the bot's key; an operator has to check it",
  invalid_request: "the service that transcribes refused it; its format or length may be the reason",
  context_too_long: "it is too long for the service that transcribes; try a shorter one",
  bad_response: "the service that transcribes sent something unreadable; an operator has to check it",
  not_configured: "the service that transcribes does not know the model; an operator has to check it",
};

function failureOf(error: unknown, endpoint: Endpoint, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const failure = error instanceof TranscriptionError ? undefined : toModelError(error, endpoint);
  if (failure === undefined) return error;
  const refused = failure.code === "invalid_request" || failure.code === "context_too_long";
  return new TranscriptionError(refused ? "refused" : "failed", words[failure.code], failure.message);
}
