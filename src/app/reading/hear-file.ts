import type { TurnEventBody } from "../../core/log/turn-event.ts";
import {
  formatSeconds,
  type Transcriber,
  type Transcription,
  TranscriptionError,
} from "../../core/ports/documents.ts";
import type { FileReference } from "../../core/values/inbound.ts";
import type { ReadFile } from "../../core/values/message.ts";
import { formatBytes } from "../../core/values/shown.ts";

/** What is transcribed for one turn, so that calling the bot into a thread full of recordings costs little. */
export const maxRecordings = 5;
/** Bytes that transcription services take. https://developers.openai.com/docs/guides/speech-to-text */
const maxRecordingBytes = 25_000_000;
/** Seconds of audio that OpenAI's models take. */
const maxRecordingSeconds = 1_500;

export interface HearDeps {
  transcriber: Transcriber;
  /** Told of what operators should know; the file is named as unheard all the same. */
  report(error: unknown, where: string): void;
}

/** A file with speech as a model is told it. */
export interface Heard {
  told: Partial<ReadFile>;
  /** What it cost; absent when nothing was transcribed. */
  usage?: Extract<TurnEventBody, { type: "usage" }> | undefined;
}

/** Writes down what is said in a file, or says why it cannot be heard. @throws the signal's reason, nothing else */
export async function hearFile(
  { transcriber, report }: HearDeps,
  { name, media_type, voice }: FileReference,
  data: Uint8Array,
  signal: AbortSignal,
): Promise<Heard> {
  const what = voice === undefined ? "recording" : "voice message";
  const seconds = voice?.seconds;
  const tooMuch = whyTooMuch(data.byteLength, seconds);
  if (tooMuch !== undefined) return unheard(what, tooMuch);
  try {
    return heard(what, await transcriber.transcribe({ name, media_type, data, seconds }, signal));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof TranscriptionError)) report(error, "transcribing");
    else if (error.detail !== undefined) report(new Error(error.detail), "transcribing");
    return unheard(
      what,
      error instanceof TranscriptionError ? error.message : "something went wrong inside the bot",
    );
  }
}

/** A recording beyond those that one turn has transcribed. */
export function onePastMost({ voice }: Pick<FileReference, "voice">): Partial<ReadFile> {
  const reason = `at most ${maxRecordings} are transcribed at once; send it again alone`;
  return unheard(voice === undefined ? "recording" : "voice message", reason).told;
}

function whyTooMuch(bytes: number, seconds = 0): string | undefined {
  if (bytes > maxRecordingBytes) {
    return `it has ${formatBytes(bytes)}; at most ${formatBytes(maxRecordingBytes)} are transcribed`;
  }
  if (seconds <= maxRecordingSeconds) return undefined;
  return `it lasts ${formatSeconds(seconds)}; at most ${formatSeconds(maxRecordingSeconds)} are transcribed`;
}

function heard(what: string, { text, seconds, model, usage }: Transcription): Heard {
  const length = seconds === undefined ? "" : ` of ${formatSeconds(seconds)}`;
  const said = text.trim();
  const problem =
    said === ""
      ? `a ${what}${length} in which no words were heard`
      : `a ${what}${length}, transcribed: words may be misheard`;
  const spoken = { ...(seconds === undefined ? {} : { seconds }) };
  return {
    told: said === "" ? { problem } : { text: said, spoken, problem },
    usage: { type: "usage", model, ...usage },
  };
}

function unheard(what: string, reason: string): Heard {
  return { told: { problem: `the ${what} could not be heard: ${reason}` } };
}
