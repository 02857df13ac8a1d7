import { describeConfig } from "../config/config-keys.ts";
import { readConfig } from "./bot-connection.ts";
import {
  type CommandContext,
  exitCode,
  type GlobalOptions,
  printJson,
  printLine,
} from "./command-context.ts";

/** `knack config`: the effective configuration with sources and descriptions; secrets are masked. */
export async function showConfig(
  context: CommandContext,
  options: GlobalOptions & { json?: true },
): Promise<number> {
  const { config, sources } = await readConfig(context, options);
  const settings = describeConfig(config, sources);
  if (options.json) {
    printJson(context, { settings });
    return exitCode.ok;
  }
  for (const { key, value, source, meaning } of settings) {
    const shown = value === null ? "(not set)" : typeof value === "string" ? value : JSON.stringify(value);
    printLine(context, `${key} = ${shown}\n    ${meaning}. From: ${source}`);
  }
  return exitCode.ok;
}
