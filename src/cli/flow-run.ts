import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { Command } from "commander";
import { plainLine, plainText } from "../platforms/terminal/plain-text.ts";
import {
  type CommandContext,
  CommandError,
  exitCode,
  printResult,
  type ResultOptions,
  type Run,
} from "./command-context.ts";
import { addOperationCommands } from "./operation-commands.ts";
import { namespaceOption, parseValues } from "./shared-options.ts";

interface FlowRunOptions extends ResultOptions {
  namespace: string;
  vars?: string;
  dryRun?: true;
}

/** `knack flows …` */
export function addFlowCommands(program: Command, context: CommandContext, run: Run): void {
  const flows = program.command("flows").description("list and run flows");
  addOperationCommands(flows, context, run);
  flows
    .command("run")
    .description("run a flow, or show what it would do")
    .argument("<flow>", "its id, name or file")
    .argument("[values...]", "values of its variables, as name=value, e.g. city=Oslo")
    .option("--vars <json>", "values of its variables, a JSON object")
    .option("--dry-run", "only show each request it would make")
    .addOption(namespaceOption())
    .option("--json", "{success, results, variables, directOutput}")
    .action((flow: string, values: string[], _options, command: Command) =>
      run(() => runFlow(context, flow, values, command.optsWithGlobals())),
    );
}

/** `knack flows run`: a flow by id, name or file. */
async function runFlow(
  context: CommandContext,
  flow: string,
  values: readonly string[],
  options: FlowRunOptions,
): Promise<number> {
  const vars = parseValues(values, options.vars, "--vars", `'{"city": "Oslo"}'`);
  const file = await readFlowFile(path.resolve(context.cwd, flow), flow);
  const { reportRefusals } = await import("./bot-connection.ts");
  return reportRefusals(context, options, async ({ client }) => {
    const run = { vars, dry_run: options.dryRun === true, namespace: options.namespace };
    const result =
      file === undefined
        ? await client.call("flow.run", { id: flow, ...run })
        : await client.call("flow.run_text", { flow: file, name: path.basename(flow), ...run });
    const lines = () => [plainText(JSON.stringify(result, null, 2))];
    const code = printResult(context, options, result, lines, result.success);
    if (!options.json && result.error !== undefined) context.stderr.write(`${plainLine(result.error)}\n`);
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
