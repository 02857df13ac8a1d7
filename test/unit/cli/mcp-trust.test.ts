import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testServer } from "../../support/fakes/fake-servers.ts";
import { fakeBot, type Route } from "./fake-bot.ts";
import { runKnack } from "./run-knack.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), "knack-cli-"));
});
afterEach(() => rm(cwd, { recursive: true }));

const tool = (name: string, more: object = {}) => ({
  ...{ name, description: `Does ${name}.`, suppressed: false, definition: `d-${name}`, trusted: false },
  ...{ asks: "asker", ...more },
});
const mail = {
  ...testServer("mail"),
  tools: [
    tool("list", { read_only: true, asks: "nobody" }),
    tool("send"),
    tool("wipe", { destructive: true, read_only: true, asks: "manager" }),
  ],
};

/** A bot with the server, which notes what it is asked to trust. */
function bot(server: object = mail) {
  const trusted: unknown[] = [];
  const put: Route = async (request) => {
    const { tools } = (await request.json()) as { tools: { name: string }[] };
    trusted.push(tools);
    return mail;
  };
  const routes = { "GET /mcp": () => ({ servers: [server] }), "PUT /mcp/mail/trust": put };
  return { bot: fakeBot(routes), trusted };
}

const confirmed = (...names: string[]) => names.map((name) => ({ name, definition: `d-${name}` }));

describe("knack mcp trust", () => {
  it.each([
    [["--tools", "list, send"], confirmed("list", "send")],
    [["--read-only"], confirmed("list")],
    [["--none"], []],
  ])("`knack mcp trust` takes from %j what may run without asking", async (options, expected) => {
    const { bot: fake, trusted } = bot();
    const { code, out } = runKnack(["mcp", "trust", "mail", ...options], { cwd, bot: fake });
    expect([await code, trusted]).toEqual([0, [expected]]);
    expect(out.text()).toBe("Unasked run: list. All other tools ask.\n");
  });

  it("`knack mcp trust` has read-only tools ticked beforehand, and takes changes by hand", async () => {
    const { bot: fake, trusted } = bot();
    const { code, err, stdin } = runKnack(["mcp", "trust", "mail"], { cwd, bot: fake, typing: true });
    await err.shows("Numbers to change");
    expect(err.text()).toContain("[x] 1 list (only reads): Does list.\n[ ] 2 send (may change something)");
    expect(err.text()).toContain("[ ] 3 wipe (destroys)");
    stdin.write("1 2\n");
    await err.shows("[ ] 1 list");
    stdin.write("\n");
    expect([await code, trusted]).toEqual([0, [confirmed("send")]]);
  });

  it.each([["q\n"], [undefined]])("`knack mcp trust` changes nothing when left by %j", async (typed) => {
    const { bot: fake, trusted } = bot();
    const { code, out, err, stdin } = runKnack(["mcp", "trust", "mail"], { cwd, bot: fake, typing: true });
    await err.shows("Numbers to change");
    if (typed === undefined) stdin.end();
    else stdin.write(typed);
    expect([await code, trusted]).toEqual([0, []]);
    expect(out.text()).toContain("Nothing was changed.");
  });

  it("`knack mcp trust` only shows the list where nobody can tick it", async () => {
    const { bot: fake, trusted } = bot();
    const { code, out } = runKnack(["mcp", "trust", "mail", "--json"], { cwd, bot: fake });
    expect([await code, JSON.parse(out.text()), trusted]).toEqual([0, mail, []]);
  });

  it.each([
    [["--tools", "list,nope"], 1, "No such tool: nope. There is: list, send, wipe."],
    [["--none", "--read-only"], 2, "Give one of --tools, --read-only and --none."],
  ])("`knack mcp trust` refuses %j", async (options, exit, message) => {
    const { bot: fake, trusted } = bot();
    const { code, err } = runKnack(["mcp", "trust", "mail", ...options], { cwd, bot: fake });
    expect([await code, trusted]).toEqual([exit, []]);
    expect(err.text()).toContain(message);
  });
});
