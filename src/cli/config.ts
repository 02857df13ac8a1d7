import { describeConfig } from "../config/config-keys.ts";
import { readConfig } from "./bot-connection.ts";
import type { CommandContext, ResultOptions } from "./command-context.ts";

/** `knack config`: the effective configuration with sources and descriptions; secrets are masked. */
export async function showConfig(context: CommandContext, options: ResultOptions): Promise<number> {
  const { config, sources } = await readConfig(context, options);
  const settings = describeConfig(config, sources);
  return context.out.result(options, { settings }, () =>
    settings.map(({ key, value, source, meaning }) => {
      const shown = value === null ? "(not set)" : typeof value === "string" ? value : JSON.stringify(value);
      return `${key} = ${shown}\n    ${meaning}. From: ${source}`;
    }),
  );
}
