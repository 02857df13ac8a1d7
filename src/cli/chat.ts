import { runChat } from "../platforms/terminal/chat.ts";
import { withConnection } from "./bot-connection.ts";
import { type CommandContext, exitCode, type GlobalOptions, wantsColours } from "./command-context.ts";

export interface ChatCommandOptions extends GlobalOptions {
  namespace: string;
  thread?: string;
}

/** `knack chat`: a conversation in the terminal. Log lines would disturb the display, so they are off there unless configured. */
export async function chat(context: CommandContext, options: ChatCommandOptions): Promise<number> {
  const connectOptions =
    context.stderr.isTTY === true ? { ...options, logLevel: "silent" as const } : options;
  return withConnection(context, connectOptions, async ({ client }) => {
    await runChat({
      client,
      input: context.stdin,
      output: context.stdout,
      clock: context.clock,
      namespace: options.namespace,
      thread: options.thread,
      colours: wantsColours(context),
      onInterrupt: (listener) => context.onSignal(["SIGINT"], listener),
    });
    return exitCode.ok;
  });
}
