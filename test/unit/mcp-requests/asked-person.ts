import type { ToolContext } from "../../../src/core/skill/tool.ts";
import { WaitingForPerson } from "../../../src/core/values/failure.ts";
import { createServerRequests } from "../../../src/mcp/requests/create-server-requests.ts";

type Requests = ReturnType<typeof createServerRequests>;

/** A person who gives these answers, one after the other; the turn waits for each of them. */
export function askedPerson(answers: readonly string[], requests: Requests = createServerRequests()) {
  const asked: { text: string; choices: readonly string[] }[] = [];
  const notes: string[] = [];
  const known = new Map<string, string>();
  const context = {
    turn_id: "turn",
    call_id: "call",
    progress: (note: string) => void notes.push(note),
    async ask({ text, choices = [], key = "" }) {
      const answer = known.get(key);
      if (answer !== undefined) return answer;
      asked.push({ text, choices });
      const next = answers[asked.length - 1];
      if (next === undefined) throw Object.assign(new Error("nobody"), { code: "no_answer" });
      known.set(key, next);
      throw new WaitingForPerson();
    },
  } as Partial<ToolContext> as ToolContext;
  const untilAnswered = async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof WaitingForPerson)) throw error;
      }
    }
  };
  let count = 0;
  return {
    asked,
    notes,
    elicit(params: Parameters<Requests["elicit"]>[1]) {
      count += 1;
      const key = `request-${count}`;
      return untilAnswered(() => requests.elicit("travel", params, context, key));
    },
  };
}
