import { beforeAll, describe, expect, it } from "vitest";
import { createSaidLine } from "../../../../src/core/values/said-line.ts";
import { type OfflineBot, startOffline } from "./ask-offline.ts";

const skills = ["incident-report", "memory", "task-planning", "text-analyzer", "web-scraping"];

/** What nobody should read as an answer to a first question. */
const embarrassing =
  /No skill can be used|Nothing is remembered|but none fits|\*\*Total|enable memory$|- \[ \] 1\. A release/m;
const unknown =
  /^I cannot answer that\. I am the offline provider: fixed rules.*\*\*text-analyzer\*\*.*`ANTHROPIC_API_KEY=… npm start`/s;
const overview = /^This is what I can do here:.*\*\*weather\*\*.*`ANTHROPIC_API_KEY=… npm start`/s;

/** In this order, in one channel, each in a thread of its own. */
const sentences: [said: string, answer: RegExp][] = [
  ["hi", /^Hello!/],
  ["hello!", /^Hello!/],
  ["help", overview],
  ["what can you do?", overview],
  ["who are you?", overview],
  ["thanks", /^You're welcome!/],
  ["?", overview],
  ["what is the door code?", unknown],
  ["remember that the door code is 4711", /^Remembered as fact 1: the door code is 4711/],
  ["what is the door code?", /^One fact fits\.\n\n\*\*Facts\*\*\n\n- the door code is 4711/],
  ["what do you remember?", /- the door code is 4711/],
  ["remember that my birthday is on May 5", /^Remembered as fact 2/],
  ["when is my birthday?", /- my birthday is on May 5/],
  ["forget my birthday", /^Forgotten: my birthday/],
  ["stop", /^Nothing is running here/],
  ["What is the sentiment of: I love this, but the ending was terrible", /^Mixed, leaning negative/],
  ["keywords of: The quick brown fox jumps over the lazy dog", /^Main topics: quick, brown/],
  ["how many words in: one two three four", /^4 words, 1 sentence[\s\S]*English/],
  ["Plan this: book a room, invite people, order food", /- \[ \] 3\. Order food/],
  ["Plan a release in five steps", /^\*\*A release\*\*\n\n(?:- \[ \] \d\. .+\n){5}\n_Made by rules/],
  ["Plan my holiday in Italy", /^\*\*My holiday in Italy\*\*\n\n- \[ \] 1\. Settle dates/],
  ["create a roadmap for the website relaunch", /^\*\*The website relaunch\*\*\n\n- \[ \] 1\. Agree/],
  ["make a plan to learn Spanish in 3 months", /^\*\*Learn Spanish in 3 months\*\*\n\n(?:- .+\n){7}/],
  ["write an incident report", /\*\*incident-report\*\* fits\. It is a guide for a language model/],
  ["who is the president of France?", unknown],
  ["what time is it?", /^It is \w+day, \d+ \w+ \d{4}, \d\d:\d\d \(UTC\)\./],
  ["what day is it today?", /^It is \w+day, /],
  ["What's the date?", /^It is \w+day, /],
  ["who am I?", /^You are Ada here\./],
  ["are you there?", /^Yes, I am here/],
  ["how do I install a skill?", /`\/skill install ADDRESS`/],
  ["how do I set a model?", /`ANTHROPIC_API_KEY=… npm start`/],
  ["which model are you?", /^None\. I am the offline provider/],
  ["enable memory", /`\/skill enable memory`/],
  ["please turn off the web scraping skill", /`\/skill disable web-scraping`/],
  ["memory", /^\*\*memory\*\* fits, but it is not clear.*\*\*memory_remember\*\*/s],
  ["is this positive? The food was great", /^Positive/],
  ["Is this positive: the food was awful", /^Negative/],
  ["how hard is this to read: The cat sat on the mat.", /^Very easy to read/],
  ["Wie ist das Wetter in Berlin?", /^\*\*weather\*\* did not work: .*no network in this test/s],
  ["what is the weather in Oslo?", /^\*\*weather\*\* did not work/],
  ["Merk dir, dass der Türcode 12 ist", /^Remembered as fact 3: der Türcode 12 ist/],
  ["Was ist der Türcode?", /- der Türcode 12 ist/],
  ["asdf qwer", unknown],
  ["write a poem about the sea", unknown],
  ["tell me a joke", unknown],
  ["what is 12 * 7?", unknown],
  ['translate "good morning" to French', unknown],
  ["summarize: Knack is a bot. It has skills. It runs in channels.", unknown],
  ["can you see images?", unknown],
  ["search the web for cats", /\*\*web: read\*\* fits, but I need more/],
  ["summarize this page", /\*\*web: read\*\* fits, but I need more/],
  ["what skills are there?", overview],
];

describe("first questions without a model, in one channel", () => {
  let bot: OfflineBot;
  beforeAll(() => {
    bot = startOffline(skills, { flows: true, saidLine: createSaidLine() });
  });

  it.each(sentences)("a first question without a model is answered: %s", async (said, answer) => {
    const { text } = await bot.ask(said);
    expect(text).toMatch(answer);
    expect(text).not.toMatch(embarrassing);
  });

  it("an offline bot still knows its skills when all of them were used in the thread", async () => {
    const own = startOffline(["memory", "text-analyzer"]);
    for (const said of ["remember that the bridge is open", "sentiment of: good"]) await own.ask(said, "one");
    expect((await own.ask("help", "one")).text).toContain("**memory**");
    expect((await own.ask("is the bridge open?", "one")).text).toContain("the bridge is open");
  });

  it("an offline bot says once that rules answer, but not after an answer that says so itself", async () => {
    const { text } = await bot.ask("tell me a story");
    expect(text.match(/language model behind|without a language model/g)).toHaveLength(1);
  });
});
