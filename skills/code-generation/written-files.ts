import { z } from "zod";

const maxFiles = 20;

/** Parts of a path that are names on every system, and stand in double quotes in a shell. */
const safeName = /^[\p{L}\p{N}_@+.()[\] -]+$/u;
const binary =
  /\.(png|jpe?g|gif|webp|ico|bmp|pdf|zip|gz|tgz|tar|7z|jar|war|exe|dll|so|dylib|class|pyc|wasm|woff2?|ttf|otf|mp[34]|wav|ogg|sqlite|db|docx|xlsx|pptx)$/i;

function isSafePath(path: string): boolean {
  return path.split("/").every((name) => safeName.test(name) && !/^\.{1,2}$|^ |[ .]$/.test(name));
}

const fileSchema = z.object({
  path: z
    .string()
    .max(120)
    .refine(isSafePath, "not a relative path of plain names")
    .refine((path) => !binary.test(path), "files that are no text cannot be written")
    .describe("relative"),
  purpose: z.string(),
  content: z.string(),
});

/** What a model writes: files that can all lie in one folder. */
export const filesSchema = z
  .object({
    language: z.string().describe("python, javascript, bash, or what was asked for"),
    files: z.array(fileSchema).min(1).max(maxFiles),
    start: z.string().describe("how to start or use it, one or two lines"),
  })
  .refine(({ files }) => fitTogether(files), "two files have the same path, or one is a folder of another");
export type Written = z.output<typeof filesSchema>;

function fitTogether(files: readonly { path: string }[]): boolean {
  const paths = files.map(({ path }) => path.toLowerCase());
  if (new Set(paths).size < paths.length) return false;
  return !paths.some((path) => paths.some((other) => other.startsWith(`${path}/`)));
}

/** The files after a repair: models answer only what they changed. */
export function repairedWith(before: Written, after: Written): Written {
  const changed = new Set(after.files.map(({ path }) => path));
  const files = [...before.files.filter(({ path }) => !changed.has(path)), ...after.files];
  return fitTogether(files) ? { ...after, files } : after;
}

export function linesOf(content: string): number {
  return content === "" ? 0 : content.replace(/\n$/, "").split("\n").length;
}
