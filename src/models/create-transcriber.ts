import type { Usage } from "../core/log/usage.ts";
import { noTranscriber, type Transcriber } from "../core/ports/documents.ts";
import type { Clock } from "../core/ports/storage.ts";
import { kindOf, type ModelSettings, namedModel } from "./create-model.ts";
import { createOpenAiTranscriber, type Metered } from "./openai/transcriber.ts";
import { type Price, pricedUsage } from "./prices.ts";

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

/**
 * Creates the service that transcribes voice messages.
 * @throws ModelError `not_configured` for a name that is not `provider/model` of a known provider
 */
export function createTranscriber(
  settings: TranscriptionSettings,
  clock: Pick<Clock, "after" | "sleep">,
): Transcriber {
  if (settings.transcription === "off") return noTranscriber(whyNone(settings));
  const { provider, model, server } = namedModel(settings.transcription, { providers: settings.providers });
  const price = transcriptionPrice(settings);
  return createOpenAiTranscriber(
    { ...server, provider, model, usageOf: (metered) => usageOf(metered, price) },
    clock,
  );
}

function whyNone({ choice }: TranscriptionSettings): string {
  const none = "no service that transcribes speech is set up here";
  return choice === "offline" ? `${none}, and this bot runs without a language model` : none;
}

/** The price of transcription, if known. Settings take precedence over the prices above. */
export function transcriptionPrice(settings: TranscriptionSettings): TranscriptionPrice | undefined {
  const { transcription, providers } = settings;
  if (transcription === "off") return undefined;
  const own = settings.prices?.[transcription];
  if (own !== undefined) return { tokens: own };
  const { model, server } = namedModel(transcription, { providers });
  const kind = kindOf(server);
  return kind === undefined ? undefined : prices[kind]?.[model];
}

function usageOf(metered: Metered | undefined, price: TranscriptionPrice | undefined): Usage {
  if (metered === undefined) return { input_tokens: 0, output_tokens: 0 };
  if (metered.seconds === undefined) {
    return pricedUsage(metered, price !== undefined && "tokens" in price ? price.tokens : undefined);
  }
  const cost =
    price !== undefined && "minute" in price ? { cost_usd: (metered.seconds / 60) * price.minute } : {};
  return { input_tokens: 0, output_tokens: 0, ...cost };
}
