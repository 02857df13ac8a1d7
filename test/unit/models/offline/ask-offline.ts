import { createOfflineModel } from "../../../../src/models/offline/offline-model.ts";
import { shippedSkills } from "../../../support/skills/shipped-skills.ts";
import { createTestApp, type TestAppOptions } from "../../../support/test-app.ts";

/** A bot without a model, with the shipped skills unless others are given. Each message is asked in a thread of its own unless told. */
export function startOffline(options: TestAppOptions = {}) {
  const app = createTestApp(createOfflineModel(), { sources: shippedSkills, ...options });
  let threads = 0;
  return {
    app,
    async ask(said: string, thread?: string) {
      threads += 1;
      const { end, events } = await app.ask(said, {
        namespace: "console:local:dm",
        thread: thread ?? `own-${threads}`,
      });
      const calls = events.flatMap((event) =>
        event.type === "tool_started" && event.tool === "invoke_skill" ? [event.input] : [],
      );
      return { text: end.text, outcome: end.outcome, calls };
    },
  };
}
