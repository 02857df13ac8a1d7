import type { IncomingMessage } from "node:http";
import { type Faults, faultMessage } from "./faults.ts";

/** One transcription request and its result. */
export interface RecordedTranscription {
  path: string;
  model: string;
  /** Name and media type of the file. */
  file: string;
  type: string;
  bytes: number;
  key: string;
  status: number;
}

/** The models for speech, and how they bill. https://developers.openai.com/api/docs/models */
const models: Readonly<Record<string, "tokens" | "duration">> = {
  "gpt-transcribe": "duration",
  "gpt-4o-transcribe": "tokens",
  "gpt-4o-mini-transcribe": "tokens",
  "whisper-1": "duration",
  "whisper-large-v3-turbo": "duration",
};

const largest = 25 * 1024 * 1024;
const formats = ["flac", "m4a", "mp3", "mp4", "mpeg", "mpga", "oga", "ogg", "wav", "webm"];

/** What a recording of the stand-in is made of: its first line is a header, the rest is what is said in it. */
export function recordingOf(words: string): Buffer {
  return Buffer.from(`OggS\n${words}`);
}

/** Seconds that the words of a recording take: two a second. */
function secondsOf(words: string): number {
  return Math.ceil(words.split(/\s+/).filter(Boolean).length / 2);
}

/** `POST /audio/transcriptions` as OpenAI has it. https://developers.openai.com/docs/guides/speech-to-text */
export async function answerTranscription(
  request: Pick<IncomingMessage, "headers">,
  path: string,
  body: Buffer,
  faults: Faults,
): Promise<{ status: number; headers: Record<string, string>; body: string; record: RecordedTranscription }> {
  const form = await readForm(request, body);
  const [file, model] = [form?.get("file"), String(form?.get("model") ?? "")];
  const isFile = file instanceof File;
  const key = /^Bearer (.*)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
  const record = {
    path,
    model,
    key,
    status: 200,
    ...(isFile ? { file: file.name, type: file.type, bytes: file.size } : { file: "", type: "", bytes: 0 }),
  };
  const answer = (status: number, value: unknown, headers = {}) => ({
    status,
    body: JSON.stringify(value),
    record: { ...record, status },
    headers: { "content-type": "application/json", ...headers },
  });
  const refuse = (status: number, message: string) =>
    answer(status, { error: { message, type: "invalid_request_error", param: null, code: null } });
  const fault = faults.take("completions", model);
  if (fault !== undefined && fault.kind !== "cut") {
    const wait = fault.retry_after === undefined ? {} : { "retry-after": String(fault.retry_after) };
    return answer(fault.kind, { error: { message: faultMessage(fault), type: "server_error" } }, wait);
  }
  const refused = refusalOf(file, model, key);
  if (refused !== undefined || !isFile) return refuse(...(refused ?? [400, "file: Field required"]));
  const [header, ...lines] = Buffer.from(await file.arrayBuffer())
    .toString()
    .split("\n");
  if (header !== "OggS") return refuse(400, "Audio file might be corrupted or unsupported");
  const text = lines.join("\n");
  const seconds = secondsOf(text);
  const usage =
    models[model] === "duration"
      ? { type: "duration", seconds }
      : {
          type: "tokens",
          input_tokens: seconds * 10,
          output_tokens: seconds * 3,
          total_tokens: seconds * 13,
        };
  return answer(200, { text, usage });
}

function refusalOf(file: unknown, model: string, key: string): [status: number, message: string] | undefined {
  if (key === "") return [401, "You didn't provide an API key."];
  if (!(file instanceof File)) return undefined;
  if (!Object.hasOwn(models, model)) return [404, `The model \`${model}\` does not exist.`];
  if (file.size > largest) return [413, `Maximum content size limit (${largest}) exceeded`];
  if (formats.includes(file.name.split(".").at(-1)?.toLowerCase() ?? "")) return undefined;
  return [400, `Unrecognized file format. Supported formats: [${formats.map((each) => `'${each}'`)}]`];
}

async function readForm(
  { headers }: Pick<IncomingMessage, "headers">,
  body: Buffer,
): Promise<FormData | undefined> {
  const type = headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) return undefined;
  return new Response(Uint8Array.from(body), { headers: { "content-type": type } }).formData();
}
