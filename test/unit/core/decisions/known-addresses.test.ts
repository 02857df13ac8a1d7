import { describe, expect, it, onTestFinished } from "vitest";
import type { TurnEvent } from "../../../../src/core/log/turn-event.ts";
import { createWeb } from "../../../../src/net/create-web.ts";
import { approve } from "../../../support/bot/ask-app.ts";
import { follow } from "../../../support/follow.ts";
import { type Line, scriptedModel } from "../../../support/models/scripted-model.ts";
import { shippedSkills } from "../../../support/skills/shipped-skills.ts";
import { openSite } from "../../../support/skills/site.ts";
import { type TestTool, testSkill, testSource } from "../../../support/skills/test-skill.ts";
import { ben, createTestApp, type TestApp, type TestAppOptions } from "../../../support/test-app.ts";
import { startServer } from "../../net/local-server.ts";

const read = (url: string) => ({ call: "web-scraping", with: { url } });

/** A channel with the skills that ship. Each text a person says makes the model do the next lines, up to an answer. */
function channel(script: readonly Line[], options: TestAppOptions = {}) {
  const web = createWeb({ allow: ["127.0.0.1"], timeoutMs: 5_000 });
  const lines = [...script];
  const model = scriptedModel(({ system }) =>
    system.startsWith("Summarise") ? "They spoke." : (lines.shift() ?? "Done."),
  );
  return {
    model,
    app: createTestApp(model, { sources: shippedSkills, web, ...options }),
  };
}

const asked = (events: readonly TurnEvent[]) => events.filter(({ type }) => type === "approval_requested");

/** Says something, decides about whatever is asked, and answers what was asked. */
async function decided(app: TestApp, text: string, verdict: boolean | "turn" | "always") {
  const turnId = await app.say(text, { by: ben });
  const requests: TurnEvent[] = [];
  for await (const event of follow(app.app, turnId)) {
    if (event.type !== "approval_requested") continue;
    requests.push(event);
    await approve(app.app, event.approval_id, verdict, ben);
  }
  return { requests };
}

/** Puts a result of a tool, which nobody vouches for, before the model. */
const recall = { call: "memory_recall", with: { query: "anything" } };

describe("an address", () => {
  it("an address is free while the model has read nothing from strangers", async () => {
    const host = await openSite();
    const { app } = channel([[read(`${host.origin}/made-up?d=1`)], "Done."]);
    expect(asked((await app.ask("What is new?", { by: ben })).events)).toEqual([]);
    expect(host.requests.map(({ url }) => url)).toEqual(["/made-up?d=1"]);
  });

  it("a made-up address asks the asker after strangers' text was read, and nothing is sent before [address-1]", async () => {
    const host = await openSite();
    const { app } = channel([[recall], [read(`${host.origin}/log?d=secret`)], "Done."]);
    const turnId = await app.say("What do you know?", { by: ben });
    const request = await app.until(turnId, "approval_requested");
    expect(request).toMatchObject({
      tool: "web_read",
      approver: "asker",
      input: { url: `${host.origin}/log?d=secret` },
      reason: expect.stringContaining(`127.0.0.1:${host.port}`),
      addresses: [`127.0.0.1:${host.port}/log?d=secret`],
    });
    expect(host.requests).toEqual([]);
    await approve(app.app, request.approval_id, false, ben);
    await app.until(turnId, "turn_finished");
    expect(host.requests).toEqual([]);
  });

  it.each([
    ["as it stands", (origin: string) => `Read ${origin}/a?b=c please`, "/a?b=c"],
    ["without its scheme", (origin: string) => `Read ${origin.slice("http://".length)}/a.`, "/a"],
    ["with another end", (origin: string) => `Read <${origin}/a/#part>`, "/a"],
  ])("an address that a person named %s is free, even in later turns", async (_how, text, path) => {
    const host = await openSite();
    const { app } = channel([[recall], "Yes?", [recall], [read(host.origin + path)], "Done."]);
    await app.ask(text(host.origin), { by: ben });
    expect(asked((await app.ask("Now read it.", { by: ben })).events)).toEqual([]);
    expect(host.requests).toHaveLength(1);
  });

  it("an address is not free because its host was named [address-2]", async () => {
    const host = await openSite();
    const { app } = channel([[recall], [read(`${host.origin}/log?d=fact`)], "Done."]);
    const { requests } = await decided(app, `Read ${host.origin}/`, false);
    expect(requests).toHaveLength(1);
    expect(host.requests).toEqual([]);
  });

  it("an address does not become free by coming back in the result of a call that had it [address-2]", async () => {
    const host = await openSite();
    const evil = `${host.origin}/log?d=fact`;
    const echo = { call: "web-scraping", with: { url: `${host.origin}/start`, search: evil } };
    const { app } = channel([[echo], [read(evil)], "Done."]);
    const { requests } = await decided(app, `Read ${host.origin}/start`, false);
    expect(requests).toHaveLength(1);
    expect(host.requests.map(({ url }) => url)).toEqual(["/start"]);
  });

  it("an address of an open host is free, but not one of its neighbours", async () => {
    const host = await openSite();
    const openHosts = [`127.0.0.1:${host.port}`];
    const { app } = channel([[recall], [read(`${host.origin}/x?d=1`)], "Done."], { openHosts });
    expect(asked((await app.ask("Go.", { by: ben })).events)).toEqual([]);
    const other = channel([[recall], [read(`${host.origin}/x?d=1`)], "Done."], {
      openHosts: ["*.1", "127.0.0.1"],
    });
    expect((await decided(other.app, "Go.", false)).requests).toHaveLength(1);
  });
});

describe("links of a page", () => {
  /** Pages of which no two are alike but for one place. */
  const paths = (count: number) => Array.from({ length: count }, (_, at) => `/${at}/page-${at}`);
  const followed = (site: string, count: number, like = "") =>
    expect.stringMatching(
      new RegExp(
        `^The address at 127\\.0\\.0\\.1:\\d+ was in what was read, but this turn has followed ${count} links of ${site}${like} already\\. An`,
      ),
    );
  const links = (origin: string, count: number) =>
    paths(count)
      .map((path) => origin + path)
      .join("\n");

  it("links of a page are free, ten a turn on a site that nobody named, and again in the next turn [address-3]", async () => {
    const far = await openSite();
    const near = await openSite({ "/list": links(far.origin, 12) });
    const pages = paths(12).map((path) => [read(far.origin + path)]);
    const { app } = channel([
      [read(`${near.origin}/list`)],
      ...pages,
      "Done.",
      [read(`${far.origin}/11/page-11`)],
      "Done.",
    ]);
    const { requests } = await decided(app, `Read ${near.origin}/list and all it links to`, false);
    expect(requests).toHaveLength(2);
    expect(requests).toMatchObject([
      { reason: followed("127.0.0.1", 10) },
      { reason: followed("127.0.0.1", 10) },
    ]);
    expect(far.requests).toHaveLength(10);
    expect((await decided(app, "And the last one", false)).requests).toEqual([]);
  });

  it("links of a page are free, ten a turn, on a host that a person named", async () => {
    const near = await openSite();
    near.pages["/list"] = links(near.origin, 12);
    const host = `127.0.0.1:${near.port}`;
    const pages = paths(12).map((path) => [read(near.origin + path)]);
    const { app } = channel([[read(`${near.origin}/list`)], ...pages, "Done."]);
    const { requests } = await decided(app, `Read ${near.origin}/list whole`, false);
    expect(requests).toHaveLength(2);
    expect(requests).toMatchObject([{ reason: followed(host, 10) }, { reason: followed(host, 10) }]);
    expect(near.requests).toHaveLength(11);
  });

  it("links of a page on many ports of one address are of one site", async () => {
    const sites = await Promise.all(Array.from({ length: 12 }, () => openSite()));
    const all = sites.map(({ origin }, at) => `${origin}/${at}/page-${at}`);
    const near = await openSite({ "/list": all.join("\n") });
    const { app } = channel([[read(`${near.origin}/list`)], ...all.map((url) => [read(url)]), "Done."]);
    expect((await decided(app, `Read ${near.origin}/list`, false)).requests).toHaveLength(2);
    expect(sites.flatMap(({ requests }) => requests)).toHaveLength(10);
  });

  it.each([
    ["a segment of the path", (at: number) => `/log/${at}`],
    ["a parameter", (at: number) => `/log?position=3&c=${at}`],
  ])("links of a page that differ only in %s need approval after five [address-3]", async (_what, pathOf) => {
    const near = await openSite();
    const all = Array.from({ length: 7 }, (_, at) => near.origin + pathOf(at));
    near.pages["/list"] = all.join("\n");
    const { app } = channel([[read(`${near.origin}/list`)], ...all.map((url) => [read(url)]), "Done."]);
    const { requests } = await decided(app, `Read ${near.origin}/list`, false);
    expect(requests).toHaveLength(2);
    const alike = followed(`127.0.0.1:${near.port}`, 5, " that differ from this one in one place");
    expect(requests).toMatchObject([{ reason: alike }, { reason: alike }]);
    expect(near.requests).toHaveLength(6);
  });

  it("links of a page count literally: another query needs approval", async () => {
    const far = await openSite();
    const near = await openSite({ "/list": `${far.origin}/page` });
    const { app } = channel([[read(`${near.origin}/list`)], [read(`${far.origin}/page?d=fact`)], "Done."]);
    expect((await decided(app, `Read ${near.origin}/list`, false)).requests).toHaveLength(1);
    expect(far.requests).toEqual([]);
  });
});

describe("who asked may allow", () => {
  const script = (origin: string): Line[] => [
    [recall],
    [read(`${origin}/a?d=1`)],
    [read(`${origin}/a?d=1`)],
    [read(`${origin}/b?d=2`)],
    "Done.",
  ];

  it("the asker may allow one address, which is then known", async () => {
    const host = await openSite();
    const { app } = channel(script(host.origin));
    expect((await decided(app, "Go.", true)).requests).toHaveLength(2);
  });

  it("the asker may allow a site for the turn, but not for the next one", async () => {
    const host = await openSite();
    const { app } = channel([...script(host.origin), [read(`${host.origin}/c?d=3`)], "Done."]);
    expect((await decided(app, "Go.", "turn")).requests).toHaveLength(1);
    expect((await decided(app, "Again.", false)).requests).toHaveLength(1);
    expect(host.requests.map(({ url }) => url)).toEqual(["/a?d=1", "/b?d=2"]);
  });
});

it("a new transcript of the thread knows which addresses people named, and that strangers spoke", async () => {
  const host = await openSite();
  const words = "word ".repeat(600);
  const script: Line[] = [[recall], words, words, words, words];
  const { app, model } = channel(
    [...script, [read(`${host.origin}/named`)], [read(`${host.origin}/made-up?d=1`)], "Done."],
    { limits: { transcript_tokens: 3_000 } },
  );
  const openings: string[] = [];
  for (const text of [`Mind ${host.origin}/named`, words, words, words]) {
    const { turnId } = await app.ask(text, { by: ben });
    const events = await app.log.read(turnId);
    openings.push(...events.flatMap((event) => (event.type === "transcript_opened" ? event.because : [])));
  }
  expect(openings).toContain("full");
  const { requests } = await decided(app, "Read it now", false);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain("Mind ");
  expect(requests).toMatchObject([{ input: { url: `${host.origin}/made-up?d=1` } }]);
  expect(host.requests.map(({ url }) => url)).toEqual(["/named"]);
});

describe("a redirect", () => {
  it("a redirect to a site nobody named is not followed once strangers spoke, and the model is told where it leads [address-4]", async () => {
    const far = await openSite();
    const near = await openSite();
    const start = `${near.origin}/to?${encodeURIComponent(`${far.origin}/log?d=1`)}`;
    const { app, model } = channel([[recall], [read(start)], [read(`${far.origin}/log?d=1`)], "Done."]);
    const { requests } = await decided(app, `Read ${start}`, false);
    expect(far.requests).toEqual([]);
    expect(near.requests).toHaveLength(1);
    expect(model.requests[2]?.messages.at(-1)?.text).toContain(`${far.origin}/log?d=1`);
    expect(requests).toMatchObject([{ input: { url: `${far.origin}/log?d=1` } }]);
  });

  it("a redirect to a page that a person named is followed, and so is any within the same site", async () => {
    const far = await openSite();
    const near = await openSite();
    const away = `${near.origin}/to?${encodeURIComponent(`${far.origin}/page`)}`;
    const home = `${near.origin}/to?${encodeURIComponent("/page?d=1")}`;
    const { app } = channel([[recall], [read(away), read(home)], "Done."]);
    const { requests } = await decided(app, `Read ${away}, ${home} and ${far.origin}/page`, false);
    expect(requests).toEqual([]);
    expect([far.requests.length, near.requests.length]).toEqual([1, 3]);
  });

  it("a redirect with a request body is followed to no other site, even if a person named it", async () => {
    const far = await openSite();
    const near = await startServer((_request, response) =>
      response.writeHead(307, { location: `${far.origin}/page` }).end(),
    );
    onTestFinished(() => near[Symbol.asyncDispose]());
    const run: TestTool["run"] = async (_, { web }) =>
      (await web.fetch(near.origin, { method: "POST", body: "what was said here" })).status;
    const poster = testSkill("poster", [{ name: "post", run }], { active: true });
    const { app, model } = channel([[{ call: "post" }], "Done."], { sources: [testSource([poster])] });
    await decided(app, `Post it to ${near.origin}, not to ${far.origin}/page`, false);
    expect(near.requests).toHaveLength(1);
    expect(far.requests).toEqual([]);
    expect(model.requests.at(-1)?.messages.at(-1)?.text).toContain(`${far.origin}/page`);
  });
});
