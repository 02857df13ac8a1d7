import { unlessAborted } from "../base/time-limit.ts";
import { type ApiClient, type NamedFile, ownTimeZone } from "../client/api-client.ts";
import type { TurnOutcome } from "../core/log/turn-event.ts";
import { attachedFile } from "../platforms/terminal/attached-file.ts";
import { type Connection, withConnection } from "./bot-connection.ts";
import { type CommandContext, exitCode, exitCodeOf, type ResultOptions } from "./command-context.ts";
import { settleUnattended, showTurn } from "./show-turn.ts";
import { readText } from "./terminal-input.ts";

/** Maximum wait for an unavailable model, minutes: a person is at the prompt. */
const maxAwayMinutes = 2;

/**
 * `knack ask`: one turn. Ctrl-C stops it; a second Ctrl-C only ends the command.
 * @param options `file`: paths of the files to attach
 */
export async function ask(
  context: CommandContext,
  asked: string,
  options: ResultOptions & { namespace: string; thread?: string; file?: readonly string[] },
): Promise<number> {
  const text = await readText(context, asked);
  const files: NamedFile[] = [];
  for (const path of options.file ?? []) {
    const file = await attachedFile(path);
    if (typeof file === "string") {
      context.out.note(`${file} Nothing was sent.`);
      return exitCode.usage;
    }
    files.push(file);
  }
  return withConnection(context, { maxAwayMinutes, ...options }, async (connection) => {
    const { client } = connection;
    const message = { namespace: options.namespace, thread: options.thread, text, ...ownTimeZone() };
    const accepting = client.submitTurn(message, files);
    const watch = new AbortController();
    // At once: the turn may begin before its acceptance arrives here.
    const stopListening = onInterrupts(context, client, accepting, watch);
    try {
      const accepted = await unlessAborted(watch.signal, () => accepting).catch((error: unknown) => {
        if (!watch.signal.aborted) throw error;
      });
      if (accepted === undefined) return exitCode.stopped;
      const outcome = options.json
        ? await printEvents(context, connection, accepted.turn_id, watch.signal)
        : await showTurn(context, connection, accepted, watch);
      return outcome === undefined ? exitCode.stopped : exitCodeOf[outcome];
    } finally {
      stopListening();
    }
  });
}

function onInterrupts(
  context: CommandContext,
  client: ApiClient,
  accepting: Promise<{ turn_id: string }>,
  watch: AbortController,
): () => void {
  let pressed = 0;
  return context.onSignal(["SIGINT", "SIGTERM"], () => {
    pressed += 1;
    if (pressed > 1) return watch.abort();
    const stopped = accepting.then(({ turn_id }) => client.call("turn.stop", { id: turn_id }));
    stopped.catch((error: unknown) => {
      context.out.note(`The turn could not be stopped: ${String(error)}`);
      watch.abort();
    });
  });
}

/** Every event as a line of JSON. Undefined when watching ended before the turn. */
async function printEvents(
  context: CommandContext,
  connection: Connection,
  turnId: string,
  signal: AbortSignal,
): Promise<TurnOutcome | undefined> {
  for await (const event of connection.client.turnEvents(turnId, { signal })) {
    context.out.json(event);
    if (event.type === "turn_finished") return event.outcome;
    await settleUnattended(event, connection);
  }
  return undefined;
}
