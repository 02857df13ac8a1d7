import { expect, it } from "vitest";
import type { Model } from "../../../../src/core/ports/model.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { createTestApp } from "../../../support/test-app.ts";

/** A model whose provider refuses a tool: it says so before every request that has it. */
function refusing(name: string, model: Model, all?: true): Model {
  return {
    ...model,
    async *stream(request) {
      if (request.tools.some((tool) => tool.name === name)) {
        yield { type: "left_out", model: "a/b", tools: [{ name, why: "no @here" }], all };
      }
      yield* model.stream(request);
    },
  };
}

it("people and the model are told once per thread which tool is left out, and how to fix it", async () => {
  const scripted = scriptedModel(["hello"]);
  const skill = testSkill("odd", [{ name: "odd_tool" }], { metadata: { always: true } } as never);
  const { ask } = createTestApp(refusing("odd_tool", scripted), { skills: [skill] });
  await ask("/skill enable odd");
  const { end, events } = await ask("hi");
  expect(end.outcome).toBe("completed");
  expect(end.text).toContain(
    "hello\n\nA tool is left out here: odd_tool of the skill odd, because a/b refuses it",
  );
  expect(end.text).toContain("`/skill disable odd`");
  expect(events.filter(({ type }) => type === "tools_left_out")).toHaveLength(1);
  const [asked] = scripted.requests;
  expect(asked?.system).toContain("Not available while a/b answers");
  expect(asked?.system).toContain("odd_tool, a tool of the skill odd");
  expect(asked?.system).not.toContain("@here");
  const again = await ask("again");
  expect(again.end.text).toBe("hello");
  expect(scripted.requests).toHaveLength(2);
});

it("people and the model are told once per thread that a model takes no tools", async () => {
  const scripted = scriptedModel(["hello"]);
  const skill = testSkill("odd", [{ name: "odd_tool" }], { metadata: { always: true } } as never);
  const { ask } = createTestApp(refusing("odd_tool", scripted, true), { skills: [skill] });
  await ask("/skill enable odd");
  const { end } = await ask("hi");
  expect(end.text).toBe(
    "hello\n\na/b cannot call tools, so this answer comes without any. Choose another model.",
  );
  expect(scripted.requests[0]?.system).toContain("No tools are available while a/b answers");
  expect((await ask("again")).end.text).toBe("hello");
});
