import { runChat } from "../platforms/terminal/chat.ts";
import { withConnection } from "./bot-connection.ts";
import { type CommandContext, exitCode, type GlobalOptions } from "./command-context.ts";

/** `knack chat`: a conversation in the terminal. Log lines would disturb the display, so they are off there unless configured. */
export async function chat(
  context: CommandContext,
  options: GlobalOptions & { namespace: string; thread?: string },
): Promise<number> {
  const logLevel = context.stderr.isTTY === true ? "silent" : undefined;
  return withConnection(context, { ...options, logLevel }, async ({ client }) => {
    await runChat({
      client,
      input: context.stdin,
      output: context.stdout,
      clock: context.clock,
      namespace: options.namespace,
      thread: options.thread,
      colours: context.out.colours,
      onInterrupt: (listener) => context.onSignal(["SIGINT"], listener),
    });
    return exitCode.ok;
  });
}
