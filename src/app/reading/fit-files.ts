import { cutForModel } from "../../core/skill/tool.ts";
import type { ReadFile } from "../../core/values/message.ts";
import { type CountTokens, fitBeginning } from "../../core/values/profile.ts";

/** A file, and how many tokens of its text the conversation gets. */
export type KnownFile = ReadFile & { most?: number };

/** Every text its share; what a short one leaves goes to those after it. Of a longer one, beginning and end, and how to read on. */
export function withinTokens(
  files: readonly KnownFile[],
  tokens: number,
  countTokens: CountTokens,
): ReadFile[] {
  let room = tokens;
  let waiting = files.filter((file) => file.text !== undefined).length;
  return files.map(({ most = Number.POSITIVE_INFINITY, ...file }) => {
    if (file.text === undefined) return file;
    const share = Math.min(most, Math.floor(room / waiting));
    const fitted = fitFile(file, file.text, share, countTokens);
    waiting -= 1;
    room -= countTokens(fitted.text ?? "");
    return fitted;
  });
}

/** What is said in a recording cannot be read on: of it the beginning alone is here. */
function fitFile(file: ReadFile, whole: string, tokens: number, countTokens: CountTokens): ReadFile {
  const { path, spoken, problem } = file;
  const noted = (note: string) => (problem === undefined ? note : `${problem}; ${note}`);
  if (path === undefined || spoken !== undefined) {
    const { text, left_out } = fitBeginning(whole, tokens, countTokens);
    if (left_out === 0) return file;
    const rest = left_out.toLocaleString("en");
    return { ...file, text, problem: noted(`only the beginning is here, ${rest} more characters are not`) };
  }
  const text = cutForModel(whole, tokens, path, countTokens);
  if (text === whole) return file;
  return { ...file, text, problem: noted("only its beginning and end are here; read_file has all of it") };
}
