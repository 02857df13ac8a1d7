import { describe, expect, it } from "vitest";
import { fakeServers, testServer } from "../../../support/fakes/fake-servers.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { ben, createTestApp } from "../../../support/test-app.ts";

function newApp() {
  const servers = fakeServers([
    testServer("files"),
    testServer("broken", { state: "failed", problem: "npx is not on the PATH." }),
    testServer("mail", { state: "needs_login", credentials: "per_user" }),
    testServer("crm", { credentials: "shared" }),
    testServer("guides", { state: "running", offers_skills: true }),
  ]);
  return { ...createTestApp(scriptedModel([]), { servers }), servers };
}

describe("tool servers", () => {
  it("tool servers are listed for everybody, with what to do about each", async () => {
    const { end } = await newApp().ask("/mcp list", { by: ben });
    expect(end.private).toBe(true);
    const [files, broken, mail, , guides] = end.text.split("\n");
    expect(files).toMatch(/\*\*files\*\*.*stopped.*`read_file`/);
    expect(broken).toMatch(/failed.*npx is not on the PATH.*`\/mcp restart broken`/);
    expect(mail).toMatch(/needs a login.*`\/mcp login mail`/);
    expect(guides).toMatch(/running.*offers skills: `\/skill install mcp:guides`/);
  });

  it("tool servers are listed with what was left out of their file, even if nothing else is left", async () => {
    const message = "Server docs is left out: TOKEN is not set in the environment.";
    const left = { path: "mcp.json", severity: "error", code: "invalid_server", message } as const;
    const servers = { ...fakeServers([]), problems: () => [left] };
    const { end } = await createTestApp(scriptedModel([]), { servers }).ask("/mcp list", { by: ben });
    expect(end.text).toContain("Server docs is left out: TOKEN is not set");
    expect(end.text).not.toContain("No tool server (MCP) is configured");
  });

  it("tool servers are started and stopped by operators only", async () => {
    const { ask, servers } = newApp();
    for (const action of ["start", "stop", "restart"]) {
      const { end } = await ask(`/mcp ${action} files`, { by: ben });
      expect(end).toMatchObject({ outcome: "failed", private: true });
      expect(end.text).toMatch(/Only operators/);
    }
    expect(servers.list()[0]?.state).toBe("stopped");
    expect((await ask("@Knack mcp start files")).end.text).toBe("**files** runs, with 1 tools.");
    expect((await ask("/mcp stop FILES")).end.text).toBe("**files** is stopped.");
  });

  it("a tool server that does not start says why and what to do next", async () => {
    const { end } = await newApp().ask("/mcp start broken");
    expect(end.outcome).toBe("failed");
    expect(end.text).toMatch(/does not run.*npx is not on the PATH.*`\/mcp restart broken`/s);
  });

  it("an unknown tool server is answered with similar names", async () => {
    const { ask } = newApp();
    expect((await ask("/mcp start fils")).end.text).toContain("Did you mean files?");
    expect((await ask("/mcp start")).end.text).toContain("/mcp list");
    const none = createTestApp(scriptedModel([]));
    expect((await none.ask("/mcp start x")).end.text).toContain("`mcp.json`");
    expect((await none.ask("/mcp list")).end.text).toContain("`mcp.json`");
  });

  it("tool servers are completed by name", async () => {
    const { app } = newApp();
    const texts = (await app.complete("/mcp login m", "console:local:general")).map(({ text }) => text);
    expect(texts).toContain("/mcp login mail");
  });
});

describe("an account with a server", () => {
  it("a server account is connected by each person, with a link that only they see", async () => {
    const { ask, servers } = newApp();
    const { end } = await ask("/mcp login mail", { by: ben });
    expect(end).toMatchObject({ outcome: "completed", private: true });
    expect(end.text).toContain("https://login.example/mail?for=console:local:ben&as=Ben%20(Console)");
    const out = (await ask("/mcp logout mail", { by: ben })).end;
    expect(out).toMatchObject({ outcome: "completed", private: true });
    expect(servers.accounts).toEqual(["console:local:ben in mail", "console:local:ben out mail"]);
  });

  it("a shared server account is changed by operators only", async () => {
    const { ask, servers } = newApp();
    for (const action of ["login", "logout"]) {
      expect((await ask(`/mcp ${action} crm`, { by: ben })).end.text).toContain("only operators");
    }
    expect(servers.accounts).toEqual([]);
    expect((await ask("/mcp login crm")).end.text).toContain("https://login.example/crm");
  });

  it("`/mcp login` says that the server needs no account", async () => {
    expect((await newApp().ask("/mcp login files")).end.text).toBe("files needs no account.");
  });
});
