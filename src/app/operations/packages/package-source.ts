/** Where a package comes from, in requests of people and programs. */
import { z } from "zod";
import { PlatformError } from "../../../core/ports/chat-platform.ts";
import type { PackageSource } from "../../../core/skill/packages.ts";
import { failed, type Outcome } from "../../../core/values/failure.ts";
import { uploadedFile } from "../../services/shapes.ts";
import type { CommandFile, OperationCall } from "../operation.ts";
import { listed } from "../words.ts";

/** As many as `PackageLimits` has. */
const maxSkills = 1_000;
export const hash = z.string().regex(/^[0-9a-f]{64}$/, "expected a sha256 in lower-case hex");

const name = z.string().min(1).max(300);

/** A package by address, or by a path on the bot's machine; without either, the uploaded file. */
export const packageLocation = z.object({
  url: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .describe(
      "of an archive (.zip, .tar.gz) or a git repository; OWNER/REPOSITORY and install commands of other agents work, too; or give path",
    ),
  path: z
    .string()
    .min(1)
    .max(4000)
    .optional()
    .describe("a folder or archive here; taken from programs on this machine alone"),
  expected: z
    .array(hash)
    .max(maxSkills)
    .optional()
    .describe("hashes of the reviews a person has seen; anything else is refused"),
  only: z.array(name).max(maxSkills).optional().describe("ids of the skills wanted; all by default"),
  most: z
    .number()
    .int()
    .min(1)
    .max(maxSkills)
    .optional()
    .describe(
      "a package with more skills is refused, with their names (code choose_skills), unless only is given",
    ),
});

/** The same with the archive itself. */
export const packageForm = z.object({
  file: uploadedFile("expected an archive"),
  expected: z
    .string()
    .max(70_000)
    .transform(listed)
    .pipe(z.array(hash).max(maxSkills))
    .optional()
    .meta({ type: "string" })
    .describe("hashes, with commas between them"),
  only: z
    .string()
    .max(20_000)
    .transform(namesIn)
    .pipe(z.array(name).max(maxSkills))
    .optional()
    .meta({ type: "string" })
    .describe("ids of the skills wanted, with commas between them"),
});

/** The names of a list with commas. */
export function namesIn(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

/** The source in short, for people. */
export function nameOf(source: PackageSource): string {
  return source.kind === "upload" ? source.name : source.kind === "url" ? source.url : source.path;
}

type Located = OperationCall<z.output<typeof packageLocation>>;

/** The package that the call names. */
export function sourceOf(call: Located): Promise<Outcome<PackageSource>> {
  return call.command === undefined ? sourceOfProgram(call) : sourceInChat(call);
}

async function sourceOfProgram({
  input: { url, path },
  files = [],
}: Located): Promise<Outcome<PackageSource>> {
  const given = [url, path, ...files].filter((each) => each !== undefined);
  const [file] = files;
  if (given.length === 1) {
    if (url !== undefined) return { ok: true, value: { kind: "url", url } };
    if (path !== undefined) return { ok: true, value: { kind: "path", path } };
    if (file !== undefined) return download(file);
  }
  const message =
    "Say which package: {url} as JSON, or the archive as the field `file` of a form (multipart/form-data).";
  return failed(400, message, "invalid_request");
}

const whatToInstall =
  "Which skill? Write the address of a .zip, a .tar.gz or a git repository: `/skill install https://…` or `/skill install OWNER/REPOSITORY`. Or send the archive to me in a message that says `skill install`.";

/** Skills of a package that are installed without asking which. */
const fewInChat = 10;

/** The words of `/skill install`: an address or a command, then `all` or names, before which `only` may stand. */
export function packageInWords(words: string): z.input<typeof packageLocation> {
  const text = words.trim();
  const [, first = "", rest = ""] = /^(\S*)\s*(.*)$/s.exec(text) ?? [];
  const isAddress = maybeAddress(first) && !/^\/plugin$|^-/.test(first) && !rest.startsWith("-");
  const names = isAddress ? rest : (/(?:^|\s)((?:--)?only[\s=].+|all)$/is.exec(text)?.[1] ?? "");
  const url = text.slice(0, text.length - names.length).trim();
  const only = namesIn(names.replace(/^(?:--)?only[\s=]+/i, ""));
  const isAll = /^all$/i.test(names);
  return {
    url: url || undefined,
    only: isAll || only.length === 0 ? undefined : only,
    most: isAll ? undefined : fewInChat,
  };
}

/** Whether a text may name a place elsewhere; `/plugin …` is a command of another agent. */
export function maybeAddress(text: string): boolean {
  return /[:/@\s]/.test(text) && (/^\/plugin\s/.test(text) || !/^(?:\.{1,2}|~)?[\\/]/.test(text));
}

/** An address in the message, otherwise the attached archive. A path is refused, because it would be on the bot's machine. */
async function sourceInChat({ input: { url = "" }, files = [] }: Located): Promise<Outcome<PackageSource>> {
  if (maybeAddress(url)) return { ok: true, value: { kind: "url", url } };
  const [file, ...others] = files;
  if (file === undefined) {
    if (url === "") return failed(400, whatToInstall);
    const written = url.replaceAll("`", "").slice(0, 200);
    const message = `\`${written}\` is not an address. ${whatToInstall} A folder on the bot's machine is installed with \`knack skills install FOLDER\`.`;
    return failed(400, message);
  }
  if (others.length > 0) return failed(400, "Send one archive at a time: I cannot tell which one you mean.");
  return download(file);
}

/** Maximum bytes of an uploaded archive. */
const maxBytes = 50_000_000;

async function download(file: CommandFile): Promise<Outcome<PackageSource>> {
  try {
    return { ok: true, value: { kind: "upload", name: file.name, data: await file.read(maxBytes) } };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const message = `${file.name} could not be fetched: ${error.message} Nothing was installed. Try again, or give its address.`;
    return failed(503, message);
  }
}
