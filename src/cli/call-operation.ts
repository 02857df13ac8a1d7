import type { CommandLineForm } from "../app/operations/operation.ts";
import { plainError } from "../config/schema-problems.ts";
import type { Clock } from "../core/ports/storage.ts";
import { renderMarkdown } from "../platforms/terminal/markdown.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import { reportRefusals } from "./bot-connection.ts";
import { type CommandContext, CommandError, exitCode, type ResultOptions } from "./command-context.ts";
import { nameIn, type OperationCommand } from "./shared-options.ts";

/**
 * Calls the operation of a command and shows its output.
 * @param given arguments and options by name
 */
export async function callOperation(
  context: CommandContext,
  { operation, form }: OperationCommand,
  given: ResultOptions & Record<string, unknown>,
): Promise<number> {
  const { read = (options) => options, settled, needsBot } = form;
  const { config, json } = given;
  const options = { config, json, settled };
  const asked = Object.entries({ ns: given.namespace, ...(read(given as never) as object) });
  const input = Object.fromEntries(asked.filter(([key]) => key in operation.input.shape));
  const parsed = checkInput({ operation, form }, input);
  return reportRefusals(context, options, async ({ client, remote }) => {
    if (needsBot !== undefined && remote === undefined)
      return fail(context, given, `The bot has to run for this, ${needsBot}. Start it with: knack start`);
    const call = client.call as unknown as Call;
    const begun = call(operation.name, input);
    const shown = json ? undefined : (line: string) => void context.out.note(plainLine(line));
    const followed =
      form.follow === undefined
        ? { output: await begun, failed: false }
        : await followWork(form.follow, begun, call, { clock: context.clock, onLine: shown });
    const { output } = followed;
    if (followed.failed)
      return fail(context, given, (output as { message?: string }).message ?? "It failed.");
    const reading = { whole: true, now: context.clock.now() };
    const lines = () => {
      const text = operation.text?.(output, parsed, reading) ?? "";
      // What a chat advises is given here with `knack command`.
      return markdownLines(context, text.replace(/`(\/[a-z]+ [^`]*)`/g, "`knack command '$1'`"));
    };
    const code = context.out.result(given, output, lines, operation.failed?.(output, parsed) !== true);
    if (form.warnHere !== undefined && remote === undefined) context.out.note(form.warnHere);
    return code;
  });
}

/**
 * Checks what was given before the bot is asked, whose answer would speak of its API.
 * @throws CommandError for wrong usage
 */
function checkInput({ operation, form }: OperationCommand, input: object): Record<string, unknown> {
  const { data, error } = operation.input.safeParse(input, { error: plainError });
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return data ?? {};
  const key = String(issue.path[0]);
  const options = (form.options ?? []).map((option) => [option].flat()[0] ?? "");
  // The argument `<host...>` is the input `hosts`.
  const named = [...form.command.split(" "), ...options].find((word) => key.startsWith(nameIn(word)));
  const where = named === undefined ? "" : `${named.replace(/ .*/, "")}: `;
  throw new CommandError(`${where}${issue.message}`, exitCode.usage);
}

function fail(context: CommandContext, { json }: ResultOptions, error: string): number {
  context.out.note(plainLine(error));
  if (json) context.out.json({ error });
  return exitCode.failed;
}

/** Markdown as lines. The terminal wraps them, so that addresses and secrets can be copied. */
export function markdownLines(context: CommandContext, text: string): string[] {
  return renderMarkdown(text, Number.POSITIVE_INFINITY, context.out.paint);
}

/** Calls an operation by its name. */
export type Call = (name: string, input: object) => Promise<unknown>;

/** Interval between two looks at the work, ms. */
const lookIntervalMs = 1_500;

/**
 * Waits for long work: shows its lines while it runs. If the answer says that the work continues, waits for its end.
 * @throws the errors of the call
 */
export async function followWork(
  { operation, look, goesOn }: NonNullable<CommandLineForm<unknown>["follow"]>,
  begun: Promise<unknown>,
  call: Call,
  { clock, onLine }: { clock: Pick<Clock, "sleep">; onLine: ((line: string) => void) | undefined },
): Promise<{ output: unknown; failed: boolean }> {
  let said = "";
  const show = (line: string) => {
    if (line !== said && line !== "") onLine?.(line);
    said = line;
  };
  const ended = () => "answered";
  const answered = begun.then(ended, ended);
  while ((await Promise.race([answered, clock.sleep(lookIntervalMs)])) !== "answered") {
    // A failed look says nothing about the work.
    const seen = await call(operation, {}).then(look, () => undefined);
    if (seen !== undefined && "line" in seen) show(seen.line);
  }
  const output = await begun;
  if (!goesOn(output)) return { output, failed: false };
  for (;;) {
    const seen = look(await call(operation, {}));
    if ("ended" in seen) return { output: seen.ended, failed: seen.failed };
    show(seen.line);
    await clock.sleep(lookIntervalMs);
  }
}
