import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { escapedInvisible } from "../base/text/invisible-text.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import { reportRefusals } from "./bot-connection.ts";
import { type CommandContext, CommandError, exitCode, type ResultOptions } from "./command-context.ts";
import { parseValues } from "./shared-options.ts";

/** `knack flows run`: a flow by id, name or file. */
export async function runFlow(
  context: CommandContext,
  flow: string,
  values: readonly string[],
  options: ResultOptions & { namespace: string; vars?: string; dryRun?: true },
): Promise<number> {
  const vars = parseValues(values, options.vars, "--vars", `'{"city": "Oslo"}'`);
  const file = await readFlowFile(path.resolve(context.cwd, flow), flow);
  return reportRefusals(context, options, async ({ client }) => {
    const run = { vars, dry_run: options.dryRun === true, namespace: options.namespace };
    const result =
      file === undefined
        ? await client.call("flow.run", { id: flow, ...run })
        : await client.call("flow.run_text", { flow: file, name: path.basename(flow), ...run });
    const lines = () => [escapedInvisible(JSON.stringify(result, null, 2))];
    const code = context.out.result(options, result, lines, result.success);
    if (!options.json && result.error !== undefined) context.out.note(plainLine(result.error));
    return code;
  });
}

/** Maximum characters of a flow, as in the API. */
const maxChars = 1_000_000;

/** The text of the file; undefined if the argument is an id or a name. */
async function readFlowFile(file: string, flow: string): Promise<string | undefined> {
  const isPath = /[\\/]|\.json$/i.test(flow);
  try {
    const stats = await stat(file);
    if (!stats.isFile()) return undefined;
    if (stats.size > maxChars) throw new CommandError(`${flow} is larger than ${maxChars} bytes.`);
    return isPath ? await readFile(file, "utf8") : undefined;
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    if (!isPath) return undefined;
    const message = `${flow} cannot be read. Give the file, id or name of a flow.`;
    throw new CommandError(message, exitCode.failed, { cause });
  }
}
