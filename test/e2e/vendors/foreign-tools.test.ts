import { describe, expect, it } from "vitest";
import type { Json, JsonSchema } from "../../../src/core/values/json.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { ada } from "../../support/test-app.ts";
import { echo } from "../../support/vendors/script.ts";
import type { Script } from "../../support/vendors/view.ts";
import { startConversation, talkingModels } from "../support/vendor-conversation.ts";

/** What tool servers declare and a vendor refuses as it is: each with the names a call has to arrive with. */
const foreign: Record<string, { schema: JsonSchema; arrives: string[] }> = {
  choices: {
    schema: {
      type: "object",
      anyOf: [
        { type: "object", properties: { content: { type: "string" } }, required: ["content"] },
        { type: "object", properties: { source_url: { type: "string" } }, required: ["source_url"] },
      ],
    },
    arrives: ["content", "source_url"],
  },
  names: {
    schema: {
      type: "object",
      properties: {
        $filter: { type: "string" },
        "ids[]": { type: "array", items: { type: "string" } },
        größe: { type: "string" },
        "StartTime<": { type: "string" },
      },
      required: ["$filter"],
    },
    arrives: ["$filter", "StartTime<", "größe", "ids[]"],
  },
  items: { schema: { type: "object", properties: { list: { type: "array" } } }, arrives: ["list"] },
  draft4: {
    schema: {
      $schema: "http://json-schema.org/draft-04/schema#",
      id: "http://example.com/s",
      type: "object",
      properties: {
        n: { type: "number", minimum: 0, exclusiveMinimum: true },
        pair: { type: "array", items: [{ type: "string" }, { type: "number" }] },
      },
    } as JsonSchema,
    arrives: ["n", "pair"],
  },
};

/** Calls the tool `[use …]` asks for, with a value for each property it is shown. */
const fills: Script = (request) => {
  const [, name = ""] = /\[use (\w+)\]/.exec(request.said) ?? [];
  const tool = request.tools.find((each) => each.name === name);
  const told = request.results.at(-1)?.text;
  if (name === "" || !request.may_call) return echo(request);
  if (told?.startsWith("It got ")) return { text: told };
  const since = request.messages.slice(request.messages.findLastIndex(({ role }) => role === "user"));
  const isCalled = since.some(({ calls }) => calls.some((call) => call.name === name));
  if (isCalled || (tool === undefined && told !== undefined)) return { text: `There is no ${name}.` };
  if (tool === undefined) return { calls: [{ name: "activate_skill", input: { skill_name: name } }] };
  const properties = Object.entries((tool.schema.properties ?? {}) as Record<string, JsonSchema>);
  const input = Object.fromEntries(properties.map(([key, { type }]) => [key, filled([type].flat())]));
  return { calls: [{ name, input }] };
};

function filled(types: unknown[]): Json {
  if (types.includes("string")) return "v";
  return types.includes("array") ? [] : 1;
}

describe.each(talkingModels)("tools of foreign servers, on $choice", ({ choice }) => {
  it("tools of foreign servers are called by their own names, and leave thread and channel healthy", async () => {
    const skills = Object.entries(foreign).map(([name, { schema }]) => {
      const run = (input: Json) =>
        `It got ${Object.keys(input as object)
          .toSorted()
          .join(" ")}`;
      return testSkill(name, [{ name, parameters: schema, run }]);
    });
    const talk = await startConversation(choice, { more: skills, script: fills });
    for (const [name, { arrives }] of Object.entries(foreign)) {
      const { end } = await talk.ask(`[use ${name}]`, { by: ada });
      expect([end.outcome, end.text]).toEqual(["completed", `It got ${arrives.join(" ")}`]);
    }
    expect((await talk.ask("and now?", { by: ada })).end.outcome).toBe("completed");
    expect((await talk.ask("hello", { by: ada, thread: "other" })).end.outcome).toBe("completed");
    for (const name of Object.keys(foreign))
      expect((await talk.ask(`/skill disable ${name}`, { by: ada })).end.outcome).toBe("completed");
    expect((await talk.ask("still there?", { by: ada })).end.outcome).toBe("completed");
    const again = await (await talk.restart()).ask("[use names]", { by: ada });
    expect([again.end.outcome, again.end.text]).toEqual(["completed", "There is no names."]);
    const bad = talk.vendors
      .requests()
      .filter(({ outcome }) => outcome === "refused" || outcome === "broken");
    expect(bad.map(({ refused, reply }) => refused[0]?.message ?? JSON.stringify(reply))).toEqual([]);
  });
});
