import type { ApiClient } from "../../../src/client/api-client.ts";
import { emptyTurnView, foldTurn, type TurnView } from "../../../src/core/log/turn-view.ts";
import { verdictInput } from "../../../src/core/values/verdict.ts";

/** A thread of a channel of the console, over the HTTP API: what the page folds and shows, without a browser. */
export interface ConsoleThread {
  thread: string;
  /** Its turns, oldest first. */
  turns(): Promise<TurnView[]>;
  /** Approves once what waits for an approval. */
  approve(): Promise<void>;
}

/** Says something in a thread, a new one unless given. */
export async function sayOnConsole(
  client: ApiClient,
  message: { namespace: string; text: string; thread?: string },
  files: readonly { name: string; media_type: string; data: Uint8Array }[] = [],
): Promise<ConsoleThread> {
  const { namespace } = message;
  const sent = files.map(({ name, media_type, data }) => ({
    name,
    content: new Blob([Buffer.from(data)], { type: media_type }),
  }));
  const { thread } = await client.submitTurn(message, sent);
  const turns = () => turnsOf(client, namespace, thread);
  return {
    thread,
    turns,
    async approve() {
      for (const { approval_id } of openApprovals(await turns()))
        await client.call("approval.decide", { id: approval_id, ...verdictInput("once") });
    },
  };
}

/** The turns of a thread, oldest first, as the console shows them. */
export async function turnsOf(client: ApiClient, ns: string, thread: string): Promise<TurnView[]> {
  const { turns } = await client.call("thread.show", { ns, thread });
  return turns.map(({ turn, events }) => events.reduce(foldTurn, emptyTurnView(turn.turn_id)));
}

/** The approvals that turns wait for. */
export function openApprovals(turns: readonly TurnView[]) {
  return turns.flatMap(({ approvals }) => approvals).filter(({ state }) => state === "open");
}
