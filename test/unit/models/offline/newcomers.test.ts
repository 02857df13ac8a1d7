import { beforeAll, describe, expect, it } from "vitest";
import { createSaidLine } from "../../../../src/core/values/said-line.ts";
import { createOfflineModel } from "../../../../src/models/offline/offline-model.ts";
import { shippedSkills } from "../../../support/skills/shipped-skills.ts";
import { ada, createTestApp, type TestApp } from "../../../support/test-app.ts";

const honest = /^I cannot answer that\. I am the offline provider.*`ANTHROPIC_API_KEY=… npm start`/s;
const overview = /^This is what I can do here:.*`KNACK_MODEL=ollama\/qwen3:8b npm start`/s;
const toModel = /`KNACK_MODEL=ollama\/qwen3:8b npm start`/;
const hello = /^Hello!/;
const connect = /knack -- connect slack/;
const forgetting = /forget fact 3.*knack forget --user ID/s;
const renaming = /`name: …` in your `knack\.yaml`/;
const stopping = /`\/agent schedule remove ID`/;

/** What newcomers say, what they are answered, and the tool that is called for it; none unless told. In this order, in one channel. */
const sentences: [said: string, answer: RegExp, tool?: string, input?: object][] = [
  ["hi", hello],
  ["Guten Tag", hello],
  ["hola", hello],
  ["help", overview],
  ["ayuda", overview],
  ["what can you do?", overview],
  ["¿qué puedes hacer?", overview],
  ["que peux-tu faire ?", overview],
  ["was kannst du?", overview],
  ["can you help me?", overview],
  ["I need help with my project", overview],
  ["how do I connect you to Slack?", connect],
  ["how can I add you to Discord?", connect],
  ["how do I get a real model?", toModel],
  ["can I use Ollama?", toModel],
  ["are you ChatGPT?", toModel],
  ["2+2", honest],
  ["100 * 1.19", honest],
  ["what is 12 * 7?", honest],
  ["convert 10 miles to km", honest],
  ["what's today's date?", /^It is \w+day, /],
  ["what time is it?", /^It is \w+day, /],
  ["set a timer for 10 minutes", /I have no timer, but I can remind you/],
  ["remind me to buy milk", /exactly one of `at`/, "schedule_add", {}],
  ["delete everything you know about me", forgetting],
  ["forget everything", forgetting],
  ["forget me", forgetting],
  ["please delete all my data", forgetting],
  ["change your name to Bob", renaming],
  ["your name is now Bob", renaming],
  ["stop reminding me", stopping],
  ["cancel all schedules", stopping],
  ["delete my reminders", stopping],
  ["what are my reminders?", /^Nothing is planned/, "schedule_list", {}],
  [
    "remind me tomorrow at 9 to call the bank",
    /exactly one of `at`/,
    "schedule_add",
    { text: "remind me tomorrow at 9 to call the bank" },
  ],
  ["draw a chart of 1, 4, 9, 16", honest],
  ["Draw a bar chart: January 12, February 19, March 7", honest],
  ["draw a cat", honest],
  ["draw a diagram of a login flow", honest],
  ["read my pdf", /^\*\*web: read\*\* fits.*url\*\*: an address, such as/s],
  ["explain quantum computing", honest],
  ["write a poem", honest],
  ["write an email to my boss", honest],
  ["write a Python function that adds two numbers", honest],
  ["write an incident report", /\*\*incident-report\*\* fits\. It is a guide for a language model/],
  ["translate hello to French", honest],
  ["summarise this: Knack is a bot. It has skills.", honest],
  [
    "summarise https://example.com",
    /\*\*web: read\*\* did not work: /,
    "web_read",
    { url: "https://example.com" },
  ],
  ["search the web for cats", /\*\*web: search\*\* did not work: /, "web_search", { words: "cats" }],
  ["what's the weather in Berlin?", /\*\*weather\*\* did not work: /, "weather", { place: "Berlin" }],
  ["can you read PDFs?", honest],
  ["can you see images?", honest],
  ["can you search the web?", honest],
  ["Plan a release in five steps", /^\*\*A release\*\*\n\n(?:- \[ \] .+\n){5}\n/, "task_plan"],
  ["plan my week", /^\*\*My week\*\*/, "task_plan", { task_description: "my week" }],
  [
    "Plan this: book a room, invite people, order food",
    /- \[ \] 3\. Order food/,
    "task_plan",
    { task_description: "book a room, invite people, order food" },
  ],
  ["schedule a meeting for tomorrow at 10", honest],
  ["send a message to Ben", honest],
  ["tell the team that the build is broken", honest],
  ["post hello in #general", honest],
  ["delete the last message", honest],
  ["pin this message", honest],
  ["edit your last message", honest],
  ["note to self", honest],
  ["forget about it", honest],
  ["never mind", honest],
  [
    "remember that the deploy is on Friday",
    /^Remembered as fact 1: the deploy is on Friday/,
    "memory_remember",
    { text: "the deploy is on Friday", pinned: false },
  ],
  ["when is the deploy?", /^One fact fits\.\n\n\*\*Facts\*\*\n\n- the deploy is on Friday/, "memory_recall"],
  ["who won the world cup?", honest, "memory_recall"],
  ["why is the sky blue?", honest, "memory_recall"],
  ["what is love?", honest, "memory_recall"],
  ["forget my birthday", /No remembered fact fits “my birthday”/, "memory_forget", { query: "my birthday" }],
  ["forget fact 1", /^Forgotten: the deploy is on Friday/, "memory_forget", { id: 1 }],
  [
    "What is the sentiment of: I love this, but the ending was terrible",
    /^Mixed, leaning negative/,
    "text_analyze",
    { text: "I love this, but the ending was terrible", analysis_type: "sentiment" },
  ],
  ["is this positive? The food was great", /^Positive/, "text_analyze"],
  ["count the words in: one two three", /^3 words/, "text_analyze"],
  ["list files", honest],
  ["run print(1)", honest],
  ["asdf qwer", honest],
  ["🙂", hello],
  ["bake ".repeat(3_000), honest],
  ["thanks a lot", /^You're welcome!/],
];

/** What is said to a model, and no person. */
const forModels =
  /Say so|call again|Tell the person|Give the text|Ask for it|Go on without|shows the facts|\b(?:chat|memory|schedule)_[a-z]+\b/;

/** Those that find tools. */
const searching = new Set(["list_skills", "activate_skill"]);

describe("what newcomers say to a bot without a model", () => {
  let app: TestApp;
  let threads = 0;
  beforeAll(() => {
    app = createTestApp(createOfflineModel(), {
      sources: shippedSkills,
      saidLine: createSaidLine(),
      means: { search: { engines: ["B"], search: () => Promise.reject(new Error("B is down.")) } },
      limits: { tool_output_tokens: 4_000, open_tools_tokens: 4_000, skill_list_tokens: 4_000 },
    });
  });

  it.each(sentences)("a newcomer's sentence works without a model: %s", async (said, answer, tool, input) => {
    threads += 1;
    const { events, end, turnId } = await app.ask(said, {
      namespace: "console:local:dm",
      thread: `t${threads}`,
    });
    const calls = events.flatMap((event) => (event.type === "tool_started" ? [event] : []));
    const own = calls.filter((call) => !searching.has(call.tool));
    expect(end.text).toMatch(answer);
    expect(own.map((call) => call.tool)).toEqual(tool === undefined ? [] : [tool]);
    if (input !== undefined) expect(own[0]?.input).toMatchObject(input);
    expect(end.text).not.toMatch(forModels);
    const asker = { by: ada, namespace: "console:local:dm" };
    const receipt = await app.app.run("turn.receipt", { input: { id: turnId }, asker });
    // What was done, not the names of skills and tools.
    expect(JSON.stringify(receipt)).not.toContain("of the skill “");
  });
});
