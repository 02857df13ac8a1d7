import type { Usage } from "../log/turn-event.ts";
import { ExpectedFailure } from "../values/expected-failure.ts";
import type { FileReference } from "../values/inbound.ts";
import { mediaTypeOf } from "../values/media-type.ts";

/** Speech in a file. */
export interface Recording {
  name: string;
  media_type: string;
  data: Uint8Array;
  /** How long it is, as the platform says; undefined where it does not. */
  seconds: number | undefined;
}

/** What was said in a recording. */
export interface Transcription {
  /** Empty when nobody speaks. */
  text: string;
  /** How long the recording is, where that is known. */
  seconds: number | undefined;
  /** `provider/model` that wrote it. */
  model: string;
  /** Without a cost where the price is not known. */
  usage: Usage;
}

/** A recording that was not turned into text. The message says why, in words for people; `detail` is for operators alone. */
export class TranscriptionError extends ExpectedFailure<"not_configured" | "refused" | "failed"> {
  readonly detail: string | undefined;
  constructor(code: TranscriptionError["code"], message: string, detail?: string) {
    super(code, message);
    this.detail = detail;
  }
}

/** Turns speech into text. */
export interface Transcriber {
  /** @throws TranscriptionError, or the signal's reason */
  transcribe(recording: Recording, signal: AbortSignal): Promise<Transcription>;
}

/** A bot without a transcriber: it says why. */
export function noTranscriber(reason: string): Transcriber {
  return { transcribe: () => Promise.reject(new TranscriptionError("not_configured", reason)) };
}

/** The media type of a recording; undefined for files that are none. Told by the name where the platform does not know. */
export function soundTypeOf({
  name,
  media_type,
}: Pick<FileReference, "name" | "media_type">): string | undefined {
  const type = media_type === "application/octet-stream" ? mediaTypeOf(name) : media_type.toLowerCase();
  return type.startsWith("audio/") ? type : undefined;
}

/** How long something lasts, as players show it: `0:12`, `1:02:05`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  const two = (part: number) => String(part).padStart(2, "0");
  const rest = two(whole % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}
