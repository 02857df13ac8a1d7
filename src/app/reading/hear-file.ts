import { formatBytes } from "../../base/amounts.ts";
import type { TurnEventBody } from "../../core/log/turn-event.ts";
import {
  formatSeconds,
  type Transcriber,
  type Transcription,
  TranscriptionError,
} from "../../core/ports/documents.ts";
import type { TurnPorts } from "../../core/scope/turn.ts";
import type { FileReference } from "../../core/values/inbound.ts";
import type { ReadFile } from "../../core/values/message.ts";

/** Maximum recordings transcribed for one turn, so that calling the bot into a thread full of recordings costs little. */
export const maxRecordings = 5;
/** Bytes that transcription services take. https://developers.openai.com/docs/guides/speech-to-text */
const maxRecordingBytes = 25_000_000;
/** Seconds of audio that OpenAI's models take. */
const maxRecordingSeconds = 1_500;

/** A file with speech, as the model sees it. */
export interface Heard {
  told: Partial<ReadFile>;
  /** Absent when nothing was transcribed. */
  usage?: Extract<TurnEventBody, { type: "usage" }> | undefined;
}

/** Transcribes a file, or says why that is impossible. @throws the signal's reason, nothing else */
export async function hearFile(
  transcriber: Transcriber,
  report: TurnPorts["report"],
  { name, media_type, voice }: FileReference,
  data: Uint8Array,
  signal: AbortSignal,
): Promise<Heard> {
  const what = voice === undefined ? "recording" : "voice message";
  const seconds = voice?.seconds;
  const problem = limitProblem(data.byteLength, seconds);
  if (problem !== undefined) return unheard(what, problem);
  try {
    return heard(what, await transcriber({ name, media_type, data, seconds }, signal));
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

/** A recording beyond the limit of one turn. */
export function skippedRecording({ voice }: Pick<FileReference, "voice">): Partial<ReadFile> {
  const reason = `at most ${maxRecordings} are transcribed at once; send it again alone`;
  return unheard(voice === undefined ? "recording" : "voice message", reason).told;
}

function limitProblem(bytes: number, seconds = 0): string | undefined {
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
  const told = said === "" ? { problem } : { text: said, spoken: { seconds }, problem };
  return { told, usage: { type: "usage", model, ...usage } };
}

function unheard(what: string, reason: string): Heard {
  return { told: { problem: `the ${what} could not be heard: ${reason}` } };
}
