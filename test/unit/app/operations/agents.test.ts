import { describe, expect, it } from "vitest";
import type { Profile } from "../../../../src/core/values/profile.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { ben, createTestApp } from "../../../support/test-app.ts";

const profiles: [Profile, ...Profile[]] = [
  { id: "chat", description: "Chats.", prompt: "You chat." },
  { id: "research", description: "Reads sources.", prompt: "You research." },
];

describe("agents", () => {
  it("managers choose the agent of a channel", async () => {
    const model = scriptedModel(["ok"]);
    const { ask } = createTestApp(model, { profiles });
    expect((await ask("/agent use research", { by: ben })).end.outcome).toBe("failed");
    expect((await ask("/agent use nobody")).end.text).toContain("Agents: chat, research");
    await ask("/agent use research");
    await ask("hi");
    await ask("hi", { namespace: "console:local:random" });
    expect(model.requests.map((request) => request.system.includes("You research."))).toEqual([true, false]);
  });

  it("an agent with nobody to hand over to is not offered a handoff", async () => {
    const model = scriptedModel(["ok"]);
    await createTestApp(model).ask("hi");
    expect(model.requests[0]?.tools.map((tool) => tool.name)).not.toContain("handoff");
  });
});

describe("a channel limited to some skills", () => {
  it("a channel is told when a skill it is limited to does not exist", async () => {
    const { ask } = createTestApp(scriptedModel(["ok"]));
    expect((await ask("/skill only nope")).end.text).toContain("no skill called nope");
  });
});
