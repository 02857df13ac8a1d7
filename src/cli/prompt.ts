import { plainLine, plainText } from "../platforms/terminal/plain-text.ts";
import { withConnection } from "./bot-connection.ts";
import type { CommandContext, ResultOptions } from "./command-context.ts";

/** `knack prompt`: the beginning of a new thread of a namespace, or the next model request of a thread. */
export async function prompt(
  context: CommandContext,
  options: ResultOptions & { namespace: string; message: string; thread?: string },
): Promise<number> {
  return withConnection(context, options, async ({ client }) => {
    const { namespace, message, thread } = options;
    const result = await client.call("prompt.show", { namespace, message, thread });
    const { system, tools, tokens, messages = [] } = result;
    return context.out.result(options, result, () => [
      plainText(system),
      ...messages.map(({ role, text }) => `\n[${role}]\n${plainText(text)}`),
      `\n${tools.length} tools, ${tokens} tokens in all:`,
      ...tools.map(({ name, parameters, description }) => {
        const names = Object.keys(parameters.properties ?? {}).join(", ");
        return `  ${name}(${names})  ${plainLine(description)}`;
      }),
    ]);
  });
}
