import { randomUUID } from "node:crypto";
import type { TurnEventBody } from "../src/core/log/turn-event.ts";
import type { TurnLog } from "../src/core/log/turn-log.ts";
import { asker, namespace } from "./bench-app.ts";
import { earlierTurn } from "./workload.ts";

/**
 * Adds finished turns to a thread, two messages each, as if they had been run. They continue the transcript that the thread has: its
 * first turn was run by a bot, which is stopped.
 */
export async function storeEarlierTurns(log: TurnLog, thread: string, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    const { asked, answered } = earlierTurn(turn);
    const turnId = randomUUID();
    const at = Date.now();
    const inbound = { namespace, thread, author: asker, kind: "message", text: asked } as const;
    await log.accept({ ...inbound, key: turnId }, turnId, at);
    await log.claim("earlier", 60_000);
    const bodies: TurnEventBody[] = [
      { type: "turn_started", profile: "chat", model: "openai/bench" },
      { type: "user_message", message: { role: "user", text: `${asker.name}:\n${asked}`, said: asked } },
      { type: "round_started", round: 1 },
      {
        type: "usage",
        model: "openai/bench",
        round: 1,
        input_tokens: 3_000 + 130 * turn,
        output_tokens: 100,
      },
      {
        type: "model_message",
        round: 1,
        message: { role: "assistant", text: answered, tool_calls: [] },
        model: "openai/bench",
      },
      { type: "turn_finished", outcome: "completed", text: answered },
    ];
    const events = bodies.map((body, index) => ({ ...body, turn_id: turnId, seq: index + 1, at }));
    await log.append(turnId, "earlier", events);
  }
}
