import { expect, it } from "vitest";
import { z } from "zod";
import type { Model, ModelRequest } from "../../../../src/core/ports/model.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { createTestApp } from "../../../support/test-app.ts";

it("a brief request inside a skill asks for little, and ends after its time", async () => {
  const clock = createFakeClock();
  const thinking = testSkill(
    "think",
    [
      {
        name: "think",
        run: (_input, { generate }) =>
          generate({
            instructions: "Think of words.",
            input: "Towers",
            schema: z.object({ words: z.array(z.string()) }),
            brief: true,
            longest_ms: 1_000,
          }),
      },
    ],
    { active: true },
  );
  const turns = scriptedModel([[{ call: "think" }], "Done."]);
  const inner: ModelRequest[] = [];
  const asked = Promise.withResolvers<void>();
  const model: Model = {
    ...turns,
    async *stream(request) {
      if (request.tools.length > 0) return yield* turns.stream(request);
      inner.push(request);
      asked.resolve();
      await new Promise((_, reject) =>
        request.signal.addEventListener("abort", () => reject(request.signal.reason)),
      );
    },
  };
  const { say, events } = createTestApp(model, { skills: [thinking], clock });
  const turnId = await say("think");
  await asked.promise;
  expect(inner[0]).toMatchObject({ effort: "low", max_output_tokens: 4_000 });
  await clock.advance(1_000);
  const finished = (await events(turnId)).find(({ type }) => type === "tool_finished");
  expect(finished).toMatchObject({ status: "error", output: { code: "unavailable" } });
});
