import { describe, expect, it } from "vitest";
import { fakePackages, testReview } from "../../../support/fakes/fake-packages.ts";
import { createFakePlatform } from "../../../support/fakes/fake-platform.ts";
import { fakeServers, testServer } from "../../../support/fakes/fake-servers.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ben, createTestApp } from "../../../support/test-app.ts";

describe("what operators do for the whole bot", () => {
  it("the audit channel is told what operators do for the whole bot, but not what was refused", async () => {
    const platform = createFakePlatform();
    const { chat, ask } = createTestApp(scriptedModel([]), {
      skills: [testSkill("memory")],
      packages: fakePackages([testReview("weather")]),
      servers: fakeServers([testServer("files"), testServer("mail", { credentials: "per_user" })]),
      chat: { audit_channel: "fake:w:audit" },
    });
    chat.connect(platform);
    await ask("/skill install https://example.com/a_b.zip", { by: ben });
    await ask("/skill grant memory a.example", { by: ben });
    await ask("/mcp stop files", { by: ben });
    for (const command of [
      "/skill install https://example.com/a_b.zip",
      "/skill install https://example.com/slip.zip",
      "/skill update weather",
      "/skill remove weather",
      "/skill grant memory a.example *.b.example",
      "/skill revoke memory a.example",
      "/skill revoke memory",
      "/mcp start files",
      "/mcp stop files",
      "/mcp logout mail",
    ]) {
      await ask(command);
    }
    const lines = platform.visible().map(({ message }) => message.markdown);
    const here = " in `console:local:general`";
    expect(lines.map((line) => line.replace("**Ada** ", "").replace(here, ""))).toEqual([
      "installed **weather** (from https://example.com/a\\_b.zip)",
      "updated **weather** (from https://example.com/a\\_b.zip)",
      "removed **weather** (from https://example.com/a\\_b.zip)",
      "let **memory** reach `a.example`, `*.b.example`",
      "took `a.example` back from **memory**",
      "took all hosts back from **memory**",
      "started the server **files**",
      "stopped the server **files**",
      "disconnected their account of the server **mail**",
    ]);
  });
});
