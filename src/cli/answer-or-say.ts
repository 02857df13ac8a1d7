import { ApiError } from "../client/api-error.ts";
import { type Connection, type ConnectOptions, withConnection } from "./bot-connection.ts";
import { type CommandContext, CommandError } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";
import { printJson } from "./print.ts";

/**
 * Runs `work` with a connection. What the bot refuses is said on stderr, and as `{error, code}` with `--json`; the exit code is 1 then.
 * @throws what is no refusal: no answer at all, an error inside the bot; and a CommandError of `work`, of which `--json` shows the
 * same
 */
export async function answerOrSay(
  context: CommandContext,
  options: ConnectOptions & { json?: true },
  work: (connection: Connection) => Promise<number>,
): Promise<number> {
  return withConnection(context, options, async (connection) => {
    try {
      return await work(connection);
    } catch (error) {
      if (error instanceof CommandError && options.json) {
        printJson(context, { error: error.message, code: error.code });
      }
      if (!(error instanceof ApiError) || !isRefusal(error)) throw error;
      context.stderr.write(`${error.detail}\n`);
      if (options.json) printJson(context, { error: error.detail, code: error.code });
      return exitCode.failed;
    }
  });
}

function isRefusal({ status }: ApiError): boolean {
  return status >= 400 && status < 500 && status !== 401;
}
