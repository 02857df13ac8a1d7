import { afterEach, describe, expect, it } from "vitest";
import type { Author } from "../../../src/core/values/inbound.ts";
import { personKey } from "../../../src/core/values/place.ts";
import { type McpBench, openBench } from "../../support/skills/mcp-bench.ts";
import { startLogin } from "./login-fixture.ts";

const ada: Author = { id: "ada", name: "Ada", trust: "operator" };
const ben: Author = { id: "ben", name: "Ben", trust: "member" };

const general = "console:local:general";

let bench: McpBench;
afterEach(() => bench.close());

async function openServers(credentials: "shared" | "per_user") {
  const { remote, login, visit } = await startLogin();
  bench = await openBench({ notes: { url: remote.url, knack: { credentials } } }, { login });
  return {
    remote,
    async logIn(user: Author) {
      const begun = await bench.servers.login("notes", personKey(general, user.id));
      if (!begun.ok) throw new Error(begun.reason);
      const back = await visit(begun.url);
      return { checked: await login.check(back), finished: await login.finish(back) };
    },
    add: (user: Author, namespace = general) =>
      bench.call("notes", "add", {}, { user, place: { namespace, thread: "main" } }),
  };
}

describe("a server where everybody has their own account", () => {
  it("a per-user server works for people who connected their account, and tells the others how to", async () => {
    const { logIn, add } = await openServers("per_user");
    await logIn(ada);
    await bench.until("notes", "running");
    expect(await add(ada)).toMatchObject({ status: "ok", output: "done" });
    expect(await add(ben)).toMatchObject({
      status: "error",
      code: "needs_login",
      hint: expect.stringContaining("/mcp login notes"),
    });
  });

  it("a per-user server knows nobody of another platform or workspace by somebody else's id [server-5]", async () => {
    const { logIn, add } = await openServers("per_user");
    await logIn(ada);
    await bench.until("notes", "running");
    expect(await add(ada, "console:local:random")).toMatchObject({ status: "ok" });
    for (const elsewhere of ["slack:T1:C1", "console:other:general", "discord:local:general"]) {
      expect(await add(ada, elsewhere)).toMatchObject({ status: "error", code: "needs_login" });
    }
  });

  it("a login link names its person by their key where no name is known", async () => {
    const { logIn } = await openServers("per_user");
    const shown = "ada (Console)";
    expect(await logIn(ada)).toMatchObject({ checked: { shown }, finished: { ok: true, shown } });
  });

  it("a per-user server is called with the token of the asker", async () => {
    const { logIn, add, remote } = await openServers("per_user");
    await logIn(ada);
    await bench.until("notes", "running");
    await logIn(ben);
    for (const user of [ada, ben, ada]) expect(await add(user)).toMatchObject({ status: "ok" });
    const [first, second, third] = remote.callers;
    expect(third).toBe(first);
    expect(second).not.toBe(first);
  });

  it("a per-user server is called with the account that its owner lends for the call", async () => {
    const { logIn, add, remote } = await openServers("per_user");
    await logIn(ada);
    await bench.until("notes", "running");
    await add(ada);
    const { isConnected } = await bench.tool("notes", "add");
    expect(await isConnected?.(personKey(general, "ada"))).toBe(true);
    expect(await isConnected?.(personKey(general, "ben"))).toBe(false);
    const place = { namespace: general, thread: "main" };
    const lent = await bench.call("notes", "add", {}, { user: ben, lender: "ada", place });
    expect(lent).toMatchObject({ status: "ok", output: "done" });
    expect(remote.callers[1]).toBe(remote.callers[0]);
  });

  it("a per-user server does nothing more for a person who disconnected", async () => {
    const { logIn, add } = await openServers("per_user");
    await logIn(ada);
    await bench.until("notes", "running");
    await bench.servers.logout("notes", personKey(general, "ada"));
    expect(await add(ada)).toMatchObject({ status: "error", code: "needs_login" });
  });

  it("a per-user server asks for more rights when a tool needs them, and continues with them", async () => {
    const { logIn, add, remote } = await openServers("per_user");
    await logIn(ada);
    await bench.until("notes", "running");
    remote.needed.scope = "write";
    expect(await add(ada)).toMatchObject({ status: "error", code: "needs_login" });
    await logIn(ada);
    expect(await add(ada)).toMatchObject({ status: "ok", output: "done" });
  });
});

describe("a server with one account for everybody", () => {
  it("a server with a shared account works for everybody once it is connected", async () => {
    const { logIn, add } = await openServers("shared");
    expect(await bench.servers.start("notes")).toMatchObject({ state: "needs_login" });
    await logIn(ada);
    await bench.until("notes", "running");
    expect(await add(ben)).toMatchObject({ status: "ok", output: "done" });
  });
});
