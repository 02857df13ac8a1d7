import { type FileHandle, open } from "node:fs/promises";
import { errorCode, errorText } from "../../base/error-text.ts";
import type { ForgottenPerson } from "../../client/shapes.ts";
import { plainLine } from "../../platforms/terminal/plain-text.ts";
import { reportRefusals } from "../bot-connection.ts";
import { type CommandContext, CommandError, exitCode, type ResultOptions } from "../command-context.ts";

/** Beginning of the last line of an export. */
const lastLine = '{"type":"export_finished"';

/** `knack export`: everything stored, as JSON lines. Never overwrites a file. Exit code 1 if the export is cut off. */
export async function exportData(
  context: CommandContext,
  options: ResultOptions & { namespace?: string; out?: string },
): Promise<number> {
  return reportRefusals(context, options, async ({ client }) => {
    const pieces = client.exportData(options.namespace);
    const end = await (options.out === undefined
      ? writeAll(pieces, (piece) => writeOut(context, piece))
      : writeFile(pieces, options.out));
    if (!end.includes(`\n${lastLine}`)) {
      throw new CommandError("The export is incomplete: its last line is not export_finished. Run it again.");
    }
    if (options.out !== undefined) context.out.note(`Exported to ${options.out}`);
    return exitCode.ok;
  });
}

/**
 * An export may contain the words of many people: only its owner may read it, and no other file is overwritten. A refusal creates no
 * file.
 */
async function writeFile(pieces: AsyncIterable<Uint8Array>, path: string): Promise<string> {
  const opened: { file?: FileHandle } = {};
  try {
    const end = await writeAll(pieces, async (piece) => {
      opened.file ??= await openNew(path);
      await opened.file.write(piece);
    });
    await opened.file?.sync();
    return end;
  } finally {
    await opened.file?.close();
  }
}

function openNew(path: string): Promise<FileHandle> {
  return open(path, "wx", 0o600).catch((cause: unknown) => {
    const message =
      errorCode(cause) === "EEXIST"
        ? `${path} already exists and was not changed. Name another file with --out.`
        : `${path} cannot be written: ${errorText(cause)}`;
    throw new CommandError(message, exitCode.failed, { cause });
  });
}

/** Writes the pieces in order; returns the end of the text. */
async function writeAll(
  pieces: AsyncIterable<Uint8Array>,
  write: (piece: Uint8Array) => Promise<void>,
): Promise<string> {
  let end = "";
  const decoder = new TextDecoder();
  for await (const piece of pieces) {
    await write(piece);
    end = (end + decoder.decode(piece, { stream: true })).slice(-200);
  }
  return end;
}

/** Waits for a reader of the output that is slower than the bot. */
async function writeOut({ stdout }: CommandContext, piece: Uint8Array): Promise<void> {
  await new Promise<void>((resolve) => stdout.write(piece, () => resolve()));
}

/** `knack forget`: deletes everything stored about a person. Exit code 1 if something is left. */
export async function forgetPerson(
  context: CommandContext,
  options: ResultOptions & { user: string; dryRun?: true; leavePosts?: true },
): Promise<number> {
  return reportRefusals(context, options, async ({ client }) => {
    const { user, dryRun, leavePosts = false } = options;
    const person = dryRun
      ? await client.call("person.show", { id: user })
      : await client.call("person.forget", { id: user, leave_posts: leavePosts ? "true" : "false" });
    return context.out.result(options, person, () => linesOf(person).map(plainLine), person.complete);
  });
}

function linesOf(person: ForgottenPerson): string[] {
  const { user, dry_run, left, kept, copies = [] } = person;
  const counted = [
    [person.turns, "their messages, with answers and files"],
    [person.other_turns, "messages of other people whose run details may contain words of the person"],
    [person.facts, "facts they told the memory of channels"],
    [person.documents, "documents they added to channels"],
    [person.messages, "their messages in the indexes of channels"],
    [person.plans, "their reminders, schedules, triggers and watched threads"],
    [person.allowances, "allowances to run a tool without asking"],
    [person.accounts, "accounts with tool servers"],
    [person.feedback, "their feedback on answers"],
    [person.stored, "values stored for their direct messages"],
    [person.blanked, "their name in lines of the audit, settings and grants"],
  ] as const;
  const shown = counted.filter(([count]) => count > 0).map(([count, what]) => `- ${what}: ${count}`);
  const did = dry_run ? "Would be deleted" : "Deleted";
  return [
    `${did} of ${user}:`,
    ...(shown.length === 0 ? ["- nothing"] : shown),
    ...listed(`${did} too, databases from before an upgrade, which hold everybody's words:`, copies),
    ...listed("Kept, because other people's calls made these files from theirs or changed them:", kept),
    ...listed("Not deleted:", left),
    "Not found, and not deleted: answers to other people, and messages of others, that repeat what they said or name them; files that calls of others made of it; what skills other than the memory keep in channels; log files, backups and exports; what the chat platform and the model's provider keep.",
  ];
}

function listed(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `- ${line}`)];
}
