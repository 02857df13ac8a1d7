import { describe, expect, it } from "vitest";
import { mayReach, webOf } from "../../../../src/core/decisions/approval.ts";
import type { Web, WebRequest } from "../../../../src/core/ports/web.ts";
import { linksIn } from "../../../../src/core/values/address.ts";
import { WaitingForPerson } from "../../../../src/core/values/failure.ts";
import { createRedactor } from "../../../../src/core/values/redact.ts";
import { call, callScope } from "../../../support/fakes/call-scope.ts";
import { exceptions } from "../../../support/families/family.ts";
import { ownLinks } from "../../../support/families/hosts.ts";

type Redirect = Parameters<NonNullable<WebRequest["mayFollow"]>>[0];
const redirect = (to: string, more: Partial<Redirect> = {}): Redirect => ({
  from: "https://example.com/a",
  to,
  sends: false,
  ...more,
});

/** The web of a call, and what it asked the real one for. */
function createWorld({ untrusted = false } = {}) {
  const asked: [string, WebRequest | undefined][] = [];
  const web: Web = {
    async fetch(url, options) {
      asked.push([url, options]);
      return { url, status: 200, headers: {}, body: "is hunter22" };
    },
    async read(url, options) {
      asked.push([url, options]);
      return { url, title: "hunter22", text: "is hunter22", length: 11 };
    },
  };
  const { scope, events } = callScope({ untrusted, ports: { web, redact: createRedactor(["hunter22"]) } });
  return { scope, events, asked, web: webOf(scope, call) };
}

describe("a redirect of a call's request", () => {
  it.each<[string, { untrusted?: boolean }, Redirect, boolean]>([
    ["within a site is followed", { untrusted: true }, redirect("https://www.example.com/b"), true],
    ["within a site is followed with a body", {}, redirect("https://example.com/b", { sends: true }), true],
    ["to another site is followed", {}, redirect("https://other.example/b"), true],
    [
      "to another site never takes a body along",
      {},
      redirect("https://other.example/b", { sends: true }),
      false,
    ],
    [
      "to an address that a stranger may have made up is not",
      { untrusted: true },
      redirect("https://other.example/b"),
      false,
    ],
    ["to no web address is not", {}, redirect("file:///etc/passwd"), false],
    ["from no web address is not", {}, redirect("https://example.com/b", { from: "about:blank" }), false],
  ])("a redirect of a call's request %s (%j)", async (_what, options, given, follows) => {
    const { web, asked } = createWorld(options);
    await web.fetch("https://example.com/a");
    await web.read("https://example.com/a");
    for (const [, used] of asked) expect(await used?.mayFollow?.(given)).toBe(follows);
    expect(asked).toHaveLength(2);
  });

  it("a redirect is judged by the tool itself where it says so", async () => {
    const { web, asked } = createWorld();
    const mayFollow = async () => false;
    await web.fetch("https://example.com/a", { method: "POST", mayFollow });
    await web.read("https://example.com/a", { mayFollow });
    expect(asked).toEqual([
      ["https://example.com/a", { method: "POST", mayFollow }],
      ["https://example.com/a", { mayFollow }],
    ]);
  });

  it("a page that is read holds no secret", async () => {
    const { web } = createWorld();
    expect(await web.read("https://example.com/a")).toMatchObject({ title: "[secret]", text: "is [secret]" });
  });
});

describe("a request that a running call would send", () => {
  const tool = { skill_id: "mail" };
  const address = "https://example.com/log?d=1";

  it("a call's request needs nobody while nothing from strangers was read, and where it is no web address", async () => {
    const { scope, events } = createWorld();
    expect(await mayReach(scope, call, tool, address)).toBe(true);
    expect(await mayReach(createWorld({ untrusted: true }).scope, call, tool, "no address")).toBe(true);
    expect(events).toEqual([]);
  });

  it.each([
    ["the turn has read a stranger's text", { untrusted: true }, {}],
    ["the address itself came from one", {}, { foreign: true }],
  ])("a call's request asks the asker where %s, and waits", async (_what, options, how) => {
    const { scope, events } = createWorld(options);
    await expect(mayReach(scope, call, tool, address, how)).rejects.toThrow(WaitingForPerson);
    expect(events).toMatchObject([
      {
        type: "approval_requested",
        call_id: expect.stringMatching(/^c1\/approval:reach:[0-9a-f]{64}$/),
        tool: "reach_address",
        skill_id: "mail",
        approver: "asker",
        input: { address },
        says: { deed: "send a request to example.com", quotes: "address" },
        reason: expect.stringContaining("example.com was not named by anybody here"),
        addresses: ["example.com/log?d=1"],
      },
    ]);
  });

  it.each([true, false])(
    "a call's request follows the decision (approved: %s), for this address only",
    async (approved) => {
      const { scope, events } = createWorld({ untrusted: true });
      await expect(mayReach(scope, call, tool, address)).rejects.toThrow(WaitingForPerson);
      scope.turn.link.signals = async () => [{ type: "approval", approval_id: "t1:1", approved, by: "ben" }];
      expect(await mayReach(scope, call, tool, address)).toBe(approved);
      await expect(mayReach(scope, call, tool, `${address}2`)).rejects.toThrow(WaitingForPerson);
      expect(events.map(({ type }) => type)).toEqual([
        "approval_requested",
        "approval_decided",
        "approval_requested",
      ]);
    },
  );
});

describe("the requests of a turn to one owner", () => {
  /** How many of these links of a page are followed unasked, each by a call of its own. */
  async function followed(links: readonly string[], page = links.join("\n")) {
    const { scope } = createWorld({ untrusted: true });
    for (const { key } of linksIn(page)) scope.seen.turn.linked.add(key);
    let unasked = 0;
    for (const [at, link] of links.entries()) {
      const request = { ...call, call: { ...call.call, id: `c${at}` } };
      try {
        if (await mayReach(scope, request, { skill_id: "web" }, link)) unasked += 1;
      } catch (error) {
        if (!(error instanceof WaitingForPerson)) throw error;
      }
    }
    return unasked;
  }

  it("the requests of a turn to one owner are ten at most, however its links are spelled [address-3]", async () => {
    const isBounded = async ({ links }: { links: string[] }) => (await followed(links)) <= 10;
    expect(await exceptions(ownLinks, isBounded, 60)).toEqual([]);
  });

  it("the requests of a turn to one owner are bounded where a page has ten thousand links", async () => {
    const links = Array.from({ length: 10_000 }, (_, at) => `http://${at}.evil.io/${at}/page-${at}`);
    expect(await followed([...links.slice(0, 30), ...links.slice(-30)], links.join("\n"))).toBe(10);
  });
});
