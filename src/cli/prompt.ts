import { plainLine, plainText } from "../platforms/terminal/plain-text.ts";
import { withConnection } from "./bot-connection.ts";
import {
  type CommandContext,
  exitCode,
  type GlobalOptions,
  printJson,
  printLine,
} from "./command-context.ts";

export interface PromptOptions extends GlobalOptions {
  namespace: string;
  message: string;
  thread?: string;
  json?: true;
}

/** `knack prompt`: the beginning of a new thread of a namespace, or the next model request of a thread. */
export async function prompt(context: CommandContext, options: PromptOptions): Promise<number> {
  return withConnection(context, options, async ({ client }) => {
    const { namespace, message, thread } = options;
    const { system, tools, tokens, messages } = await client.call("prompt.show", {
      namespace,
      message,
      ...(thread === undefined ? {} : { thread }),
    });
    if (options.json) {
      printJson(context, { system, tools, tokens, ...(messages === undefined ? {} : { messages }) });
      return exitCode.ok;
    }
    printLine(context, plainText(system));
    for (const { role, text } of messages ?? []) printLine(context, `\n[${role}]\n${plainText(text)}`);
    printLine(context, `\n${tools.length} tools, ${tokens} tokens in all:`);
    for (const tool of tools) {
      const parameters = Object.keys(tool.parameters.properties ?? {}).join(", ");
      printLine(context, `  ${tool.name}(${parameters})  ${plainLine(tool.description)}`);
    }
    return exitCode.ok;
  });
}
