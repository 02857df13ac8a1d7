import { type ChatPlatform, PlatformError } from "../../core/chat-platform.ts";
import type { Clock } from "../../core/clock.ts";
import type { FileStore } from "../../core/file-store.ts";
import type { FileReference } from "../../core/inbound.ts";
import type { Place } from "../../core/place.ts";
import type { CountTokens } from "../../core/token-count.ts";
import { fitBeginning } from "../../core/token-count.ts";
import type { ReadFile } from "../../core/turn-event.ts";
import { readContent, unreadFormat } from "./file-content.ts";
import { TookTooLongError, within } from "./within.ts";

/** A file of a message, and who sent it when it was not the asker. */
export interface SentFile {
  file: FileReference;
  by?: string | undefined;
  /** The platform's id of that person. */
  author?: string | undefined;
}

/** What is read of the files of one turn. */
const maxFiles = 20;
/** Bytes of one file, and of all together. */
const maxFileBytes = 20_000_000;
const maxTotalBytes = 40_000_000;
/** Files fetched at the same time. */
const atOnce = 3;
const tooMuch = `at most ${megabytes(maxTotalBytes)} of files are read at once; send it again alone`;
/** How long one file may take, ms. */
const patience = 30_000;
/** Pictures a model is shown, and their bytes together: requests to Anthropic may have 32 MB, with base64. */
const maxImages = 8;
const imageBytesTogether = 20_000_000;
/** Bytes of one picture: Anthropic takes 5 MiB of it in base64, which is a third longer. */
const imageBytes = 3_932_160;

export interface ReadFilesDeps {
  platform: Pick<ChatPlatform, "download">;
  store: FileStore;
  clock: Clock;
  countTokens: CountTokens;
  /** An error nobody expected; the file is named as unreadable all the same. */
  report(error: unknown, where: string): void;
}

export interface FilesToRead {
  turn_id: string;
  place: Place;
  /** Those that matter most first. */
  sent: readonly SentFile[];
  /** What their texts may take together. */
  tokens: number;
  signal: AbortSignal;
}

/** Fetches and reads files. What cannot be read is named with the reason. @throws the signal's reason, nothing else */
export async function readFiles(deps: ReadFilesDeps, request: FilesToRead): Promise<ReadFile[]> {
  const { sent, signal } = request;
  const planned = plan(sent);
  const read: ReadFile[] = [];
  const room: Room = {
    bytes: maxTotalBytes,
    images: maxImages,
    imageBytes: imageBytesTogether,
  };
  const queue = planned.map((each, index) => ({ ...each, index }));
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      read[next.index] =
        next.problem === undefined
          ? await readOne(deps, request, next.sent, room)
          : { ...about(next.sent), problem: next.problem };
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, queue.length) }, work));
  signal.throwIfAborted();
  const fitted = withinTokens(read, request.tokens, deps.countTokens);
  return Promise.all(fitted.map((file, index) => keepWhole(deps, request, file, read[index]?.text)));
}

/** What may still be read: bytes of any file, pictures, and their bytes. */
interface Room {
  bytes: number;
  images: number;
  imageBytes: number;
}

/** Which files are fetched, by what the platform says of them. */
function plan(sent: readonly SentFile[]): { sent: SentFile; problem: string | undefined }[] {
  let files = 0;
  let bytes = 0;
  return sent.map((each) => {
    const { file } = each;
    const problem =
      unreadFormat(file.name, file.media_type) ??
      (file.bytes > maxFileBytes ? tooLarge(file.bytes) : undefined) ??
      (files >= maxFiles ? `at most ${maxFiles} files are read at once; send it again alone` : undefined) ??
      (bytes + file.bytes > maxTotalBytes ? tooMuch : undefined);
    if (problem === undefined) {
      files += 1;
      bytes += file.bytes;
    }
    return { sent: each, problem };
  });
}

function about({ file, by, author }: SentFile): ReadFile {
  const { name, media_type, bytes } = file;
  const who = { ...(by === undefined ? {} : { by }), ...(author === undefined ? {} : { author }) };
  return { name, media_type, bytes, ...who };
}

async function readOne(
  deps: ReadFilesDeps,
  request: FilesToRead,
  sent: SentFile,
  room: Room,
): Promise<ReadFile> {
  const fetched = await fetchOne(deps, request, sent.file, room);
  if ("problem" in fetched) return { ...about(sent), problem: fetched.problem };
  const { data } = fetched;
  const known: ReadFile = { ...about(sent), bytes: data.byteLength };
  const content = readContent(sent.file.name, sent.file.media_type, data);
  switch (content.kind) {
    case "text":
      return { ...known, text: content.text };
    case "unreadable":
      return { ...known, problem: content.problem };
    case "image": {
      const { media_type } = content;
      return {
        ...known,
        media_type,
        ...(await keepImage(deps, request, { ...known, media_type }, data, room)),
      };
    }
    default:
      return content satisfies never;
  }
}

async function keepImage(
  { store, report }: ReadFilesDeps,
  { turn_id }: FilesToRead,
  { name, media_type }: ReadFile,
  data: Uint8Array,
  room: Room,
): Promise<{ image: string } | { problem: string }> {
  if (data.byteLength > imageBytes) {
    return { problem: `pictures of more than ${megabytes(imageBytes)} cannot be looked at; send it smaller` };
  }
  if (room.images < 1 || room.imageBytes < data.byteLength) {
    const most = `${maxImages} pictures of together ${megabytes(imageBytesTogether)}`;
    return { problem: `at most ${most} are looked at at once; send it again alone` };
  }
  room.images -= 1;
  room.imageBytes -= data.byteLength;
  try {
    return { image: (await store.put(turn_id, { name, media_type, data })).name };
  } catch (error) {
    report(error, "keeping a picture");
    return { problem: "it could not be kept on the bot's disk" };
  }
}

async function fetchOne(
  { platform, clock, report }: ReadFilesDeps,
  { place, signal }: FilesToRead,
  file: FileReference,
  room: Room,
): Promise<{ data: Uint8Array } | { problem: string }> {
  // Of some files the platform tells the size only when they are fetched.
  if (room.bytes <= 0) return { problem: tooMuch };
  try {
    const data = await within(patience, clock, signal, (limit) =>
      platform.download(place, file, { maxBytes: maxFileBytes, signal: limit }),
    );
    room.bytes -= data.byteLength;
    return data.byteLength > maxFileBytes ? { problem: tooLarge(data.byteLength) } : { data };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TookTooLongError) {
      return { problem: `it could not be fetched within ${patience / 1000} s; send it again` };
    }
    if (error instanceof PlatformError) {
      const problem = `it could not be fetched: ${error.message}`;
      return { problem: error.code === "too_large" ? tooLarge(file.bytes) : problem };
    }
    report(error, "fetching a file");
    return { problem: "it could not be fetched; send it again" };
  }
}

/** Every text its share; what a short one leaves goes to those after it. */
function withinTokens(files: readonly ReadFile[], tokens: number, countTokens: CountTokens): ReadFile[] {
  let room = tokens;
  let waiting = files.filter((file) => file.text !== undefined).length;
  return files.map((file) => {
    if (file.text === undefined) return file;
    const { text } = fitBeginning(file.text, Math.floor(room / waiting), countTokens);
    waiting -= 1;
    room -= countTokens(text);
    return { ...file, text };
  });
}

/** Of a text that is cut the rest stays readable. */
async function keepWhole(
  { store, report }: ReadFilesDeps,
  { turn_id }: FilesToRead,
  file: ReadFile,
  whole: string | undefined,
): Promise<ReadFile> {
  const { text, name } = file;
  if (text === undefined || whole === undefined || text.length === whole.length) return file;
  const problem = `only the beginning is here; ${(whole.length - text.length).toLocaleString("en")} more characters are cut`;
  try {
    const data = new TextEncoder().encode(whole);
    const stored = await store.put(turn_id, { name, media_type: "text/plain", data });
    const from = `read_tool_output(call_id: file:${stored.name}, offset: ${text.length}) reads on, with search: words it finds a place`;
    return { ...file, whole: stored.name, problem: `${problem}; ${from}` };
  } catch (error) {
    report(error, "keeping a file");
    return { ...file, problem };
  }
}

function tooLarge(bytes: number): string {
  const size = bytes > maxFileBytes ? megabytes(bytes) : `more than ${megabytes(maxFileBytes)}`;
  return `it has ${size}; at most ${megabytes(maxFileBytes)} are read`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`;
}
