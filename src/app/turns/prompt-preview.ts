import type { ClaimedTurn } from "../../core/log/turn-log.ts";
import { type Preview, previewOpening, previewRequest } from "../../core/turn/run-skill.ts";
import type { Author } from "../../core/values/inbound.ts";
import type { TurnRunner } from "./turn-runner.ts";

export type PreviewPrompt = (namespace: string, message: string, thread?: string) => Promise<Preview>;

/**
 * The next model request if the operator wrote `message`, in an existing thread or as the first message of a new one. Nothing is
 * stored and no model is called.
 */
export function createPromptPreview(turns: TurnRunner): PreviewPrompt {
  const author: Author = { id: "operator", name: "operator", trust: "operator" };
  const asked = { key: "preview", author, kind: "message" } as const;
  return async (namespace, message, thread) => {
    const claimed: ClaimedTurn = {
      turn_id: "preview",
      inbound: { ...asked, namespace, thread: thread ?? "preview", text: message },
      events: [],
      ordinal: Number.MAX_SAFE_INTEGER,
      lease: "preview",
      last_seq: 0,
      crashes: 0,
    };
    const turn = await turns.prepare(claimed, new AbortController().signal);
    const preview = thread === undefined ? previewOpening : previewRequest;
    return preview(turn, turns.portsFor("preview", namespace, author), turns.metaTools);
  };
}
