import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { ApiClient } from "../client/api-client.ts";
import type { FlowResult } from "../client/shapes.ts";
import { createPaint } from "../platforms/terminal/paint.ts";
import { plainLine, plainText } from "../platforms/terminal/plain-text.ts";
import { answerOrSay } from "./answer-or-say.ts";
import { type CommandContext, CommandError, type GlobalOptions } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";
import { parseObject } from "./parse-object.ts";
import { printJson, printLine, wantsColours } from "./print.ts";

export interface FlowOptions extends GlobalOptions {
  namespace: string;
  json?: true;
}

export interface FlowRunOptions extends FlowOptions {
  vars: string;
  dryRun?: true;
}

/** `knack flows list`: the flows of a channel, and what was wrong with others. */
export async function listFlows(context: CommandContext, options: FlowOptions): Promise<number> {
  return answerOrSay(context, options, async ({ client }) => {
    const { flows, diagnostics } = await client.flows(options.namespace);
    if (options.json) {
      printJson(context, { flows, diagnostics });
      return exitCode.ok;
    }
    const paint = createPaint(wantsColours(context));
    const width = Math.max(0, ...flows.map(({ id }) => id.length));
    if (flows.length === 0) printLine(context, "There are no flows here.");
    for (const { id, name, description, eligible, reasons } of flows) {
      const why = eligible ? "" : `  ${paint.bad("cannot be used:")} ${reasons.map(plainLine).join(" ")}`;
      printLine(
        context,
        `${paint.bold(id.padEnd(width))}  ${plainLine(name)}  ${plainLine(description)}${why}`,
      );
    }
    for (const { severity, path: file, message } of diagnostics) {
      context.stderr.write(`${severity}: ${plainLine(file)}: ${plainLine(message)}\n`);
    }
    return exitCode.ok;
  });
}

/** `knack flows run`: a flow by id, name or file. */
export async function runFlow(
  context: CommandContext,
  flow: string,
  options: FlowRunOptions,
): Promise<number> {
  const vars = parseObject(options.vars, "--vars", `'{"city": "Oslo"}'`);
  const file = await readFlowFile(path.resolve(context.cwd, flow), flow);
  return answerOrSay(context, options, async ({ client }) => {
    const request = { vars, dry_run: options.dryRun === true, namespace: options.namespace };
    const result = await runBy(client, flow, file, request);
    if (options.json) printJson(context, result);
    else printLine(context, plainText(JSON.stringify(result, null, 2)));
    if (!options.json && result.error !== undefined) context.stderr.write(`${plainLine(result.error)}\n`);
    return result.success ? exitCode.ok : exitCode.failed;
  });
}

function runBy(
  client: ApiClient,
  flow: string,
  file: string | undefined,
  request: Parameters<ApiClient["runFlow"]>[1] & object,
): Promise<FlowResult> {
  if (file === undefined) return client.runFlow(flow, request);
  return client.runFlowText({ flow: file, name: path.basename(flow), ...request });
}

/** As the API takes them, characters. */
const longest = 1_000_000;

/** The text of the file that is meant; undefined when an id or a name is. */
async function readFlowFile(file: string, flow: string): Promise<string | undefined> {
  const isPath = /[\\/]|\.json$/i.test(flow);
  try {
    const stats = await stat(file);
    if (!stats.isFile()) return undefined;
    if (stats.size > longest) throw new CommandError(`${flow} is larger than ${longest} bytes.`);
    return isPath ? await readFile(file, "utf8") : undefined;
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    if (!isPath) return undefined;
    throw new CommandError(
      `${flow} cannot be read. Give a flow's file, its id or its name.`,
      exitCode.failed,
      {
        cause,
      },
    );
  }
}
