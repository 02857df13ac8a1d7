import type { TurnAccepted } from "../client/shapes.ts";
import type { TurnEvent } from "../core/log/turn-event.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import { type Connection, withConnection } from "./bot-connection.ts";
import { markdownLines } from "./call-operation.ts";
import type { CommandContext, ResultOptions } from "./command-context.ts";
import { settleUnattended } from "./show-turn.ts";

/** The single thread of all commands given here, which are not conversations. */
const commandLine = "command-line";

/** `knack command`: a slash command as a chat user would write it. */
export async function command(
  context: CommandContext,
  text: string,
  options: ResultOptions & { namespace: string; user?: string },
): Promise<number> {
  return withConnection(context, options, async (connection) => {
    const { client } = connection;
    const { namespace, user } = options;
    const accepted = await client.submitTurn({ namespace, text, thread: commandLine, user });
    const result = await followCommand(context, connection, accepted);
    return context.out.result(options, result, () => markdownLines(context, result.text), result.ok);
  });
}

/** Waits for the end of the command. Reports on stderr when it waits for a person. */
async function followCommand(
  context: CommandContext,
  connection: Connection,
  { turn_id, namespace, thread }: TurnAccepted,
): Promise<{ text: string; ok: boolean }> {
  const { client, remote } = connection;
  for await (const event of client.turnEvents(turn_id)) {
    if (event.type === "turn_finished") return { text: event.text, ok: event.outcome === "completed" };
    await settleUnattended(event, connection);
    const asked = askedOf(event);
    if (asked === undefined || remote === undefined) continue;
    const where = `in the console at ${remote}, or with: knack chat --namespace ${namespace} --thread ${thread}`;
    context.out.note(`The command waits for a person: ${plainLine(asked)}\nAnswer ${where}`);
  }
  return {
    text: "The connection to the bot ended before the command did. The command may still finish; check its result in the console.",
    ok: false,
  };
}

function askedOf(event: TurnEvent): string | undefined {
  if (event.type === "question_asked") return event.text;
  if (event.type !== "approval_requested") return undefined;
  return event.question ?? `May ${event.tool} run with ${JSON.stringify(event.input)}?`;
}
