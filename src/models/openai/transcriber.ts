import type { OpenAI } from "openai";
import { withTimeLimit } from "../../base/time-limit.ts";
import type { Usage } from "../../core/log/usage.ts";
import {
  noTranscriber,
  type Recording,
  type Transcriber,
  type Transcription,
  TranscriptionError,
} from "../../core/ports/documents.ts";
import type { Clock } from "../../core/ports/storage.ts";
import { type Json, type JsonObject, objectOf } from "../../core/values/json.ts";
import { type ModelSettings, NamedModel } from "../named-model.ts";
import { type Price, pricedUsage } from "../prices.ts";
import { delayUpTo, type Endpoint, notAnAnswer, toModelError } from "../provider-error.ts";
import { OpenAiService, serviceFailure } from "./service.ts";

/** The server's count of what it bills: tokens or seconds. */
type Metered = { input_tokens: number; output_tokens: number; seconds?: undefined } | { seconds: number };

export interface TranscriptionSettings extends Pick<ModelSettings, "choice" | "providers" | "prices"> {
  /** `provider/model`, or `off`. */
  transcription: string;
}

/** US dollars: by the minute of speech, or by the token as for any model. */
type TranscriptionPrice = { minute: number } | { tokens: Price };

/** Sources: developers.openai.com/api/docs/models, console.groq.com/docs/speech-to-text. */
const prices: Readonly<Record<string, Readonly<Record<string, TranscriptionPrice>>>> = {
  openai: {
    "gpt-transcribe": { minute: 0.0045 },
    "gpt-4o-transcribe": { tokens: { input: 2.5, output: 10 } },
    "gpt-4o-mini-transcribe": { tokens: { input: 1.25, output: 5 } },
    "whisper-1": { minute: 0.006 },
  },
  groq: {
    "whisper-large-v3": { minute: 0.111 / 60 },
    "whisper-large-v3-turbo": { minute: 0.04 / 60 },
  },
};

/** Maximum time of one attempt, ms: the slowest services take about a minute for 25 minutes of speech. */
const maxMs = 120_000;
/** Delay before the second attempt where the server does not name one, and the maximum that it may name, ms. */
const delayAfter = delayUpTo({ usual: 1_000, max: 10_000 });

/**
 * Creates the service that transcribes voice messages, with the endpoint `/audio/transcriptions` of OpenAI, Groq, Mistral, Together, Azure
 * and self-hosted servers. Retries once after a transient failure. https://developers.openai.com/docs/guides/speech-to-text
 * @throws ModelError `not_configured` for a name that is not `provider/model` of a known provider
 */
export function createTranscriber(
  settings: TranscriptionSettings,
  clock: Pick<Clock, "after" | "sleep">,
): Transcriber {
  if (settings.transcription === "off") return noTranscriber(whyNone(settings));
  const asked = { clock, maxMs, attempts: 2, delayAfter };
  const service = new OpenAiService(settings.transcription, settings, asked);
  const { endpoint } = service;
  const price = transcriptionPrice(settings);
  const late = () =>
    new TranscriptionError("failed", `it took longer than ${maxMs / 1_000} s; try a shorter one`);
  const attempt = async (api: OpenAI, recording: Recording, signal: AbortSignal): Promise<Transcription> => {
    const { text, metered } = await withTimeLimit({ ms: maxMs, timer: clock, signal, late }, (limit) =>
      ask(api, service, recording, limit),
    );
    const seconds = recording.seconds ?? metered?.seconds;
    return { text, seconds, model: endpoint.id, usage: usageOf(metered ?? secondsOf(recording), price) };
  };
  return async (recording, signal) => {
    try {
      return await service.ask(signal, (api) => attempt(api, recording, signal));
    } catch (error) {
      throw failureOf(error, endpoint, signal);
    }
  };
}

function whyNone({ choice }: TranscriptionSettings): string {
  const none = "no service that transcribes speech is set up here";
  return choice === "offline" ? `${none}, and this bot runs without a language model` : none;
}

/** The price of transcription, if known. Settings take precedence over the prices above. */
export function transcriptionPrice(settings: TranscriptionSettings): TranscriptionPrice | undefined {
  const { transcription } = settings;
  if (transcription === "off") return undefined;
  const own = settings.prices?.[transcription];
  if (own !== undefined) return { tokens: own };
  const { model, kind } = new NamedModel(transcription, settings);
  return kind === undefined ? undefined : prices[kind]?.[model];
}

function usageOf(metered: Metered | undefined, price: TranscriptionPrice | undefined): Usage {
  if (metered === undefined) return { input_tokens: 0, output_tokens: 0 };
  if (metered.seconds === undefined) {
    return pricedUsage(metered, price !== undefined && "tokens" in price ? price.tokens : undefined);
  }
  const perMinute = price !== undefined && "minute" in price ? price.minute : undefined;
  const cost_usd = perMinute === undefined ? undefined : (metered.seconds / 60) * perMinute;
  return { input_tokens: 0, output_tokens: 0, cost_usd };
}

async function ask(
  client: OpenAI,
  { endpoint, named: { model } }: OpenAiService,
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

function failureOf(error: unknown, endpoint: Endpoint, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const failure = error instanceof TranscriptionError ? undefined : toModelError(error, endpoint);
  if (failure === undefined) return error;
  const { kind, words } = serviceFailure("the service that transcribes", failure.code);
  return new TranscriptionError(kind, words, failure.message);
}
