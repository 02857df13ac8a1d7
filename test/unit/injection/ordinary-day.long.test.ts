import { expect, it } from "vitest";
import { type Line, toolResults } from "../../support/models/scripted-model.ts";
import { openSite, type Site } from "../../support/skills/site.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { createWorld, type World } from "./world.ts";

interface Places {
  /** What people link to. */
  docs: Site;
  news: Site;
  /** The host of a flow. */
  api: Site;
}

interface Task {
  says: string;
  /** What the model does for it, in rounds, before it answers. */
  rounds: Exclude<Line, string | Error>[];
}

const read = (url: string, more: object = {}) => ({ call: "web-scraping", with: { url, ...more } });
const tool = (call: string, input: object = {}) => ({ call, with: input });

/** Forty things people ask in a week. Some follow up on what was said before in their thread. `other`: the model does them in other words. */
function tasks({ docs, news, api }: Places, other: boolean): Task[][] {
  const page = (path: string) => `${docs.origin}${path}`;
  const send = (to: string, text: string, again: string) =>
    tool("mail__send_mail", { to, text: other ? again : text });
  const mail = (text: string) => [tool("mail__search_mail", { text })];
  const find = (query: string) => [tool("web-search", { query })];
  const remember = (text: string) => [tool("memory_remember", { text })];
  const recall = (query: string) => [tool("memory_recall", { query })];
  const stock = (item: string) => [tool("stock", { item })];
  const analyze = (text: string) => [tool("text-analyzer", { text })];
  return [
    [
      { says: `Summarise ${page("/guide")}`, rounds: [[read(page("/guide"))]] },
      { says: "What does it say about limits?", rounds: [[read(page("/guide"), { search: "limits" })]] },
      { says: "Follow the link to the reference", rounds: [[read(page("/reference"))]] },
      {
        says: "And the second part of it",
        rounds: [[read(page("/reference"), { offset: 0, max_length: 300 })]],
      },
    ],
    [
      {
        says: "What is new with the harbour?",
        rounds: [find("harbour"), [read(`${news.origin}/a`), read(`${news.origin}/b`)]],
      },
      { says: "Open the other one too", rounds: [[read(`${news.origin}/c`)]] },
      { says: "Remember that the harbour opens in May", rounds: [remember("The harbour opens in May.")] },
      { says: "When does it open?", rounds: [recall("harbour")] },
    ],
    [
      { says: "Any mail from Ann?", rounds: [mail("Ann")] },
      { says: "And about lunch?", rounds: [mail("lunch")] },
      { says: "Tell Ann that I come", rounds: [[send("ann", "I come.", "I will be there.")]] },
      { says: "And Ben too", rounds: [[send("ben", "I come.", "See you at noon.")]] },
    ],
    [
      { says: "How many screws do we have?", rounds: [stock("screws")] },
      { says: "Nails & bolts?", rounds: [stock("nails & bolts")] },
      { says: "Compare with ../washers", rounds: [stock("../washers")] },
      { says: "Remember to order nails", rounds: [remember("Nails have to be ordered.")] },
    ],
    [
      { says: "Count the words of “one two three”", rounds: [analyze("one two three")] },
      { says: "How long does “Moby Dick” take to read?", rounds: [analyze("Call me Ishmael.")] },
      { says: "Thank you", rounds: [] },
      { says: "What can you do?", rounds: [[tool("list_skills", { query: "web" })]] },
    ],
    [
      { says: "What do we know about suppliers?", rounds: [recall("suppliers")] },
      { says: `Compare with ${page("/suppliers")}`, rounds: [[read(page("/suppliers"))]] },
      {
        says: `Does ${docs.origin.slice("http://".length)}/prices agree?`,
        rounds: [[read(page("/prices"))]],
      },
      { says: "Remember both", rounds: [remember("Two suppliers."), remember("Two prices.")] },
    ],
    [
      { says: "Search for tide tables", rounds: [find("tides")] },
      {
        says: "Read the first three",
        rounds: [[read(`${news.origin}/a`), read(`${news.origin}/b`), read(`${news.origin}/c`)]],
      },
      {
        says: "Mail me the result",
        rounds: [[send("ben", "Tides: high at noon.", "The tide is high at twelve.")]],
      },
      { says: "Is there a mail about it?", rounds: [mail("tides")] },
    ],
    [
      { says: "Plan the move to the new office", rounds: [[tool("list_skills", { query: "plan" })]] },
      { says: "What did we say about the office?", rounds: [recall("office")] },
      { says: "Who wrote about it?", rounds: [mail("office")] },
      { says: `The lease is at ${page("/lease")}`, rounds: [[read(page("/lease"))]] },
    ],
    [
      { says: `Our API is documented at ${api.origin}/docs`, rounds: [[read(`${api.origin}/docs`)]] },
      { says: "How many pens are left?", rounds: [stock("pens")] },
      { says: "And paper?", rounds: [stock("paper")] },
      { says: "Is there a changelog on the docs site?", rounds: [[read(page("/changelog"))]] },
    ],
    [
      { says: "Forget what we said about nails", rounds: [[tool("memory_forget", { query: "nails" })]] },
      { says: "Search again for the harbour", rounds: [find("harbour"), [read(`${news.origin}/a`)]] },
      {
        says: "Send it to the team",
        rounds: [[send("team", "News of the harbour.", "The harbour opens.")]],
      },
      { says: "Thanks, that is all", rounds: [] },
    ],
  ];
}

/** A search whose results are on the site of news, and on ten hosts of their own. */
function searchSkill(results: () => readonly string[]) {
  const run = () => ({ results: results().map((url, at) => ({ title: `Result ${at}`, url })) });
  return testSkill("web-search", [{ name: "web-search", finds: "results", run }]);
}

const stockFlow = (api: Site) => ({
  name: "Stock",
  description: "Tells how many of an item are in stock.",
  steps: [
    { type: "start", config: { variables: [{ name: "item", category: "required" }] } },
    {
      type: "apiCall",
      config: { url: `${api.origin}/stock/\${item}`, headers: [{ key: "X-Key", value: "k" }] },
    },
  ],
});

async function office() {
  const places = { docs: await openSite(), news: await openSite(), api: await openSite() };
  places.docs.pages["/guide"] = `A guide. See ${places.docs.origin}/reference and its limits.`;
  places.docs.pages["/reference"] = "The reference. ".repeat(100);
  const results: string[] = ["a", "b", "c"].map((path) => `${places.news.origin}/${path}`);
  let rounds: Line[] = [];
  const world: World = await createWorld({
    script: () => rounds.shift() ?? "Here is what I found.",
    flows: { stock: stockFlow(places.api) },
    skills: [searchSkill(() => results)],
    mail: { planted: "" },
  });
  /** One request; answers how many cards it took. */
  const cards = async (
    { says, rounds: wanted }: Task,
    thread: string,
    verdict: "always" | "turn" = "always",
  ) => {
    rounds = [...wanted];
    const { answer, asked } = await world.say(says, verdict, { thread });
    expect(answer).toBe("Here is what I found.");
    return asked.length;
  };
  return { ...places, ...world, results, cards };
}

it("forty ordinary requests ask at most five times, and then only for texts that were written after reading [address-7]", async () => {
  const bot = await office();
  const threads = tasks(bot, false);
  const askedOn = async (day: string, of: readonly Task[][]) => {
    const asked: string[] = [];
    for (const [at, thread] of of.entries())
      for (const task of thread)
        for (let cards = await bot.cards(task, `${day}-${at}`); cards > 0; cards -= 1) asked.push(task.says);
    return asked;
  };
  expect(threads.flat()).toHaveLength(40);

  const mails = ["Tell Ann that I come", "And Ben too", "Mail me the result", "Send it to the team"];
  const link = "Is there a changelog on the docs site?";
  expect(await askedOn("monday", threads)).toEqual([...mails.slice(0, 3), link, ...mails.slice(3)]);
  expect(await askedOn("tuesday", tasks(bot, true))).toEqual(mails);
  // The same texts again: of two for Ben, the card of the last one counts.
  expect(await askedOn("wednesday", tasks(bot, true))).toEqual(mails.slice(1, 3));

  const failed = bot.model.requests
    .flatMap(({ messages }) => toolResults(messages))
    .filter((text) => text.startsWith('{"error"'));
  expect(failed).toEqual([]);
  const asked = bot.api.requests.map(({ url }) => url);
  expect(asked).toEqual(
    expect.arrayContaining(["/stock/screws", "/stock/nails%20%26%20bolts", "/stock/..%2Fwashers"]),
  );
  expect(bot.mail?.effects).toHaveLength(12);
});

it("research on ten pages of ten sites asks nothing", async () => {
  const bot = await office();
  const sites = await Promise.all(Array.from({ length: 10 }, () => openSite()));
  bot.results.splice(
    0,
    3,
    ...sites.map(({ port }, at) => `http://tides-${at}.de:${port}/report-${at}?lang=en`),
  );
  for (const { pages, origin } of sites) pages["/report"] = `More at ${origin}/details`;
  const rounds = [
    [tool("web-search", { query: "tides" })],
    ...bot.results.map((url) => [read(url)]),
    [tool("memory_remember", { text: "Ten reports were read." })],
  ];
  expect(await bot.cards({ says: "Research the tides in ten sources", rounds }, "research")).toBe(0);
  expect(sites.map(({ requests }) => requests.length)).toEqual(sites.map(() => 1));
});

it("a page whose links are followed asks nothing, and where many are alike once, as does one's own site", async () => {
  const bot = await office();
  const alike = Array.from({ length: 7 }, (_, at) => `item-${at}`);
  const others = Array.from({ length: 4 }, (_, at) => `${at}/notes-${at}`);
  bot.docs.pages["/list"] = [...alike, ...others].map((path) => `${bot.news.origin}/${path}`).join("\n");
  const reads = (paths: readonly string[]) => paths.map((path) => [read(`${bot.news.origin}/${path}`)]);
  const rounds = [[read(`${bot.docs.origin}/list`)], ...reads([...alike.slice(0, 5), ...others])];
  const says = `Read ${bot.docs.origin}/list and all it links to`;
  expect(await bot.cards({ says, rounds }, "links")).toBe(0);
  expect(await bot.cards({ says: "And the others", rounds: reads(alike) }, "links", "turn")).toBe(1);
  const made = Array.from({ length: 10 }, (_, at) => [read(`${bot.api.origin}/page?number=${at}`)]);
  expect(await bot.cards({ says: "Look through the pages of our API", rounds: made }, "links", "turn")).toBe(
    1,
  );
});
