/**
 * The files that a question to people is about. Names stand for content that may change while nobody has decided yet, so a decision holds
 * for exactly the content that was asked about.
 */

import { fileNameOf, mediaTypeOf } from "../../base/file-kind.ts";
import { pattern } from "../../base/pattern.ts";
import { sha256 } from "../../base/sha256.ts";
import type { AskedFile } from "../log/turn-event.ts";
import { addressOfFile, type NewFile } from "../ports/storage.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import type { Json } from "../values/json.ts";

/** Larger files are known by their size and the time of their last change. */
const maxRead = 64_000_000;
/** Maximum files of one question whose content people can open, and maximum bytes of each. */
const maxKept = 10;
const maxKeptBytes = 25_000_000;

/** `keep`: their content is kept with the turn, so that who decides can open exactly what is asked about. */
export type Purpose = "keep" | "compare";

/** These files, as a question is about them. */
export async function askedFiles(
  scope: TurnScope,
  files: readonly NewFile[],
  purpose: Purpose,
): Promise<AskedFile[]> {
  const asked: AskedFile[] = [];
  for (const file of files)
    asked.push(await asAsked(scope, file, purpose === "keep" && asked.length < maxKept));
  return asked;
}

async function asAsked({ turn, ports }: TurnScope, file: NewFile, isKept: boolean): Promise<AskedFile> {
  const { name, media_type, data } = file;
  const about = { name, media_type, bytes: data.byteLength, sha256: await sha256(data) };
  if (!isKept || data.byteLength > maxKeptBytes) return about;
  const stored = (await ports.files.put(turn.turn_id, file)).name;
  return { ...about, stored, url: addressOfFile(turn.turn_id, stored) };
}

/** The same for all files of the thread whose names occur in the arguments of a call, in whatever argument or code. */
export async function namedFiles(scope: TurnScope, input: Json, purpose: Purpose): Promise<AskedFile[]> {
  const { turn, ports } = scope;
  const folder = ports.folders.of(turn.place);
  const text = JSON.stringify(input) ?? "";
  const asked: AskedFile[] = [];
  for (const { path, bytes, changed_at } of (await folder.list()).files) {
    const name = fileNameOf(path);
    if (!occursIn(text, JSON.stringify(name).slice(1, -1))) continue;
    const media_type = mediaTypeOf(name);
    const file = bytes > maxRead ? undefined : await folder.open(path);
    if (file === undefined) asked.push({ name, media_type, bytes, sha256: `changed ${changed_at}` });
    else {
      const data = await file.read(0, file.bytes).finally(() => file.close());
      const isKept = purpose === "keep" && asked.length < maxKept;
      asked.push(await asAsked(scope, { name, media_type, data }, isKept));
    }
  }
  return asked;
}

function occursIn(text: string, name: string): boolean {
  return text.includes(name) && pattern("u")`(?<![\p{L}\p{N}_])${name}(?![\p{L}\p{N}_])`.test(text);
}
