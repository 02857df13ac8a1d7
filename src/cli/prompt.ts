import { plainLine, plainText } from "../platforms/terminal/plain-text.ts";
import { withConnection } from "./bot-connection.ts";
import type { CommandContext, GlobalOptions } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";
import { printJson, printLine } from "./print.ts";

export interface PromptOptions extends GlobalOptions {
  namespace: string;
  message: string;
  json?: true;
}

/** `knack prompt`: what the next model call in a namespace would get. */
export async function prompt(context: CommandContext, options: PromptOptions): Promise<number> {
  return withConnection(context, options, async ({ client }) => {
    const { system, tools, tokens } = await client.prompt(options.namespace, options.message);
    if (options.json) {
      printJson(context, { system, tools, tokens });
      return exitCode.ok;
    }
    printLine(context, plainText(system));
    printLine(context, `\n${tools.length} tools, ${tokens} tokens in all:`);
    for (const tool of tools) {
      const parameters = Object.keys(tool.parameters.properties ?? {}).join(", ");
      printLine(context, `  ${tool.name}(${parameters})  ${plainLine(tool.description)}`);
    }
    return exitCode.ok;
  });
}
