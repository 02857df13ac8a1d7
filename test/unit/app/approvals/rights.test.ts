import { describe, expect, it } from "vitest";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ben, createTestApp } from "../../../support/test-app.ts";

const origin = { source: "bundled", precedence: 2, path: "/skills/notes" };
const skills = [
  testSkill("weather", [{ name: "weather" }]),
  testSkill("trip", [{ name: "trip", run: (input, context) => context.invoke("weather", input) }]),
  testSkill("notes", [
    { name: "notes_add", skill_id: "notes#add" },
    { name: "notes_clear", skill_id: "notes#clear" },
  ]),
  testSkill("notes#add", [{ name: "notes_add", skill_id: "notes#add" }], { parent: "notes", origin }),
  testSkill("notes#clear", [{ name: "notes_clear", skill_id: "notes#clear" }], { parent: "notes", origin }),
  testSkill("guide", []),
];
const rights = {
  weather: { people: [], roles: ["manager"] },
  "notes#clear": { people: ["ben"], roles: [] },
  guide: { people: [], roles: ["manager"] },
};
const mia = { id: "mia", name: "Mia", trust: "manager" } as const;

function bot(lines: Parameters<typeof scriptedModel>[0], more: Parameters<typeof createTestApp>[1] = {}) {
  const model = scriptedModel(lines);
  return { model, ...createTestApp(model, { skills, rights, ...more }) };
}

describe("rights", () => {
  it.each([
    ["who stands too low", ben, "weather", false],
    ["who stands high enough", mia, "weather", true],
    ["who is named", ben, "notes_clear", true],
    ["who is not", mia, "notes_clear", false],
    ["an operator", undefined, "notes_clear", true],
    ["everybody, where nobody is named", ben, "notes_add", true],
  ])("rights are checked when a tool is called: %s [access-6]", async (_name, by, call, may) => {
    const { ask, model } = bot([[{ call, with: {} }], "ok"]);
    const { events } = await ask("go", by === undefined ? {} : { by });
    const finished = events.find((event) => event.type === "tool_finished");
    expect(finished).toMatchObject({ status: may ? "ok" : "error" });
    if (!may) expect(toolResults(model.requests[1]?.messages ?? [])[0]).toMatch(/may not use/);
  });

  it.each([
    ["invoke_skill", [{ call: "invoke_skill", with: { skill_id: "@@Weather" } }]],
    ["a skill that invokes it", [{ call: "trip", with: {} }]],
    ["a part of a skill in another spelling", [{ call: "invoke_skill", with: { skill_id: "notes-clear" } }]],
  ])("rights count through %s", async (_name, calls) => {
    const { ask, model } = bot([calls, "ok"], {
      rights: {
        WEATHER: { people: [], roles: ["manager"] },
        "@@notes-clear": { people: ["mia"], roles: [] },
      },
    });
    await ask("go", { by: ben });
    expect(toolResults(model.requests[1]?.messages ?? [])[0]).toContain(
      String.raw`\"Ben\" (ben) may not use`,
    );
  });

  it("rights given by a platform role say that it does not count in direct messages", async () => {
    const { ask } = bot(["ok"], { rights: { weather: { people: [], roles: ["9876"] } } });
    const asked = (namespace: string) => ask("/skill run weather {}", { by: ben, namespace });
    expect((await asked("console:local:dm")).end.text).toContain("Roles do not count in direct messages");
    expect((await asked("console:local:general")).end.text).not.toContain("direct messages");
  });

  it("rights appear in the lists that people and models see", async () => {
    const { ask, model } = bot([[{ call: "list_skills", with: {} }], "ok"]);
    expect((await ask("/skill list", { by: ben })).end.text).toContain(
      "Does weather. — _Only for managers._",
    );
    await ask("what can you do?", { by: ben });
    const [listed = ""] = toolResults(model.requests[1]?.messages ?? []);
    const { skills: found } = JSON.parse(listed) as { skills: { id: string; only_for?: string }[] };
    expect(found.map(({ id, only_for }) => [id, only_for])).toEqual(
      expect.arrayContaining([
        ["weather", "managers"],
        ["trip", undefined],
      ]),
    );
  });

  it("rights count for commands and guides, too, and appear in `/skill info`", async () => {
    const { ask, model } = bot([[{ call: "activate_skill", with: { skill_name: "guide" } }], "ok"]);
    expect((await ask("/skill run weather {}", { by: ben })).end.text).toContain("may not use weather");
    expect((await ask("/skill info weather")).end.text).toContain("Only for managers: `weather`");
    await ask("go", { by: ben });
    expect(toolResults(model.requests[1]?.messages ?? [])[0]).toContain("may not use guide");
    expect(JSON.stringify(model.requests)).not.toContain("Guide of guide");
  });

  it("rights keep a skill's guide from people who may not use it, whatever names the skill", async () => {
    const { ask, model } = bot([[{ call: "weather", with: {} }], "ok"]);
    await ask("how is the weather?", { by: ben });
    const { end } = await ask("/skill run guide do it", { by: ben });
    expect(end).toMatchObject({ outcome: "failed" });
    expect(end.text).toContain('"Ben" (ben) may not use guide: it is for managers');
    await ask("do it with $guide", { by: ben });
    expect(JSON.stringify(model.requests)).not.toMatch(/Guide of (guide|weather)/);
    await ask("do it with $guide", { by: mia });
    expect(JSON.stringify(model.requests.at(-1))).toContain("Guide of guide");
  });
});
