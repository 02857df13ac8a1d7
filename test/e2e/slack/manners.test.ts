import { describe, expect, test } from "vitest";
import { ModelError } from "../../../src/core/ports/model.ts";
import { slackText } from "../../support/bot/platform-slack.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { answers, fakeSlack, slackBot } from "../support/slack-bot.ts";

const general = "C0GENERAL";
const ben = { user: "U0BEN", channel: general };

const count = testSkill("count", [
  { name: "count_words", run: () => ({ summary: "Two words.", words: 2, first: "hello" }) },
]);

type Slack = Awaited<ReturnType<typeof fakeSlack>>;

/** Waits until the bot has taken its marks from everything that people said. */
const unmarked = (slack: Slack) =>
  slack.until(
    (state) => state.messages(general).every(({ reactions }) => reactions.length === 0) || undefined,
    "no mark to be left",
  );

describe("the mark of what was read", () => {
  test("the seen mark is removed from a text command and from a typed answer", async () => {
    const slack = await fakeSlack();
    const ask = [{ call: "ask_user", with: { question: "Where to?", choices: ["staging", "production"] } }];
    await slackBot(slack, scriptedModel([ask, "Deployed."]), { skills: [count] });

    await slack.say({ ...ben, text: "<@U0KNACK> skill list" });
    await slack.until((state) => state.ephemerals("U0BEN")[0], "the list");
    const { ts } = await slack.say({ ...ben, text: "<@U0KNACK> deploy" });
    await slack.until((state) => state.botMessages(general, ts)[0], "the question");
    await slack.say({ ...ben, text: "staging", thread_ts: ts });
    const said = await slack.until((state) => answers(state, general, ts, 1), "the answer");

    expect(said?.join("\n")).toContain("Deployed.");
    await unmarked(slack);
    const { length: marked } = (await slack.look()).calls("reactions.add");
    expect(marked).toBeGreaterThanOrEqual(3);
  });

  test("the seen mark is removed from a stop, which is answered once", async () => {
    const slack = await fakeSlack();
    const never = testSkill("wait", [{ name: "wait", run: () => new Promise(() => undefined) }]);
    const model = scriptedModel([[{ call: "wait", with: {} }]]);
    await slackBot(slack, model, { skills: [never], chat: { progress_delay_ms: 0 } });

    const { ts } = await slack.say({ ...ben, text: "<@U0KNACK> wait" });
    await slack.until((state) => state.botMessages(general, ts)[0], "progress");
    await slack.say({ ...ben, text: "<@U0KNACK> stop", thread_ts: ts });
    await slack.until(
      (state) =>
        state.botMessages(general).some((message) => slackText(message).includes("Stopped.")) || undefined,
      "the end",
    );

    await unmarked(slack);
    await slack.until(
      (state) => state.deliveries().every((each) => each.acked) || undefined,
      "all acknowledged",
    );
    const texts = (await slack.look()).botMessages(general).map(slackText);
    expect(texts.filter((text) => text.includes("Stopped."))).toHaveLength(1);
  });
});

test("a skill's finding is in the channel, with its asker, once and in words", async () => {
  const slack = await fakeSlack();
  await slackBot(slack, scriptedModel(["-"]), { skills: [count] });

  await slack.command({ ...ben, command: "/skill", text: "run count two words" });
  const result = await slack.until((state) => state.botMessages(general)[0], "the result");

  expect(result?.thread_ts).toBeUndefined();
  expect(result && slackText(result)).toBe(
    "**ben** used `/skill run count two words`\n\nTwo words.\n\n- **Words:** 2\n- **First:** hello",
  );
});

test("a click's result is in the thread it was made in, without a duration where nothing took time", async () => {
  const slack = await fakeSlack();
  const model = scriptedModel([[{ call: "count_words", with: {} }], "Two."]);
  await slackBot(slack, model, { skills: [count], chat: { progress_delay_ms: 0 } });
  const { ts } = await slack.say({ ...ben, text: "<@U0KNACK> count" });
  const { answer, value } = await slack.until((state) => {
    const [message] = state.botMessages(general, ts);
    const [found] = /details:[\w-]+/.exec(JSON.stringify(message?.blocks)) ?? [];
    return message === undefined || found === undefined ? undefined : { answer: message, value: found };
  }, "the answer with its menu");
  const [action_id = ""] = JSON.stringify(answer.blocks)
    .split('"type":"overflow"')
    .slice(1)
    .flatMap((menu) => /"action_id":"([^"]+)"/.exec(menu)?.[1] ?? []);

  await slack.click({ ...ben, message_ts: answer.ts, action_id, value });
  const details = await slack.until((state) => state.ephemerals("U0BEN")[0], "the details");

  expect(details?.thread_ts).toBe(ts);
  expect(details?.text).toContain("count_words");
  expect(details?.text).not.toMatch(/\b0\.0 s/);
});

test("a notification reads words without marks", async () => {
  const slack = await fakeSlack();
  await slackBot(slack, scriptedModel(["# Annual report\n\n**Good** [year](https://a.example), `42`"]));

  const { ts } = await slack.say({ ...ben, text: "<@U0KNACK> report" });
  await slack.until((state) => answers(state, general, ts, 1), "the answer");

  const posted = (await slack.look()).botMessages(general, ts)[0];
  expect(posted?.text).not.toMatch(/[#*`[\]]/);
  expect(posted?.text).toContain("Annual report");
});

test("a model's failure reason is for operators, and the channel gets plain words", async () => {
  const slack = await fakeSlack();
  const raw = "openai/gpt-5-mini: 127.0.0.1:4121 refused the request (HTTP 400, no such thing).";
  const bot = await slackBot(slack, scriptedModel([new ModelError("invalid_request", raw)]));

  const { ts } = await slack.say({ ...ben, text: "<@U0KNACK> hello" });
  const [answer = ""] = (await slack.until((state) => answers(state, general, ts, 1), "an answer")) ?? [];

  expect(answer).toContain("The language model rejected this request.");
  expect(answer).not.toMatch(/127\.0\.0\.1|HTTP|gpt-5/);
  expect(bot.app.errors).toEqual([]);
});

test("whoever follows the thread hears the end of long work, with the words of the answer", async () => {
  const slack = await fakeSlack();
  const run = Promise.withResolvers<string>();
  const dig = testSkill("dig", [{ name: "dig", run: () => run.promise }], { active: true });
  const chat = { progress_delay_ms: 0, notify_after_ms: 0 };
  await slackBot(slack, scriptedModel([[{ call: "dig", with: {} }], "Found a bone."]), {
    skills: [dig],
    chat,
  });

  const { ts } = await slack.say({ ...ben, text: "<@U0KNACK> dig" });
  const card = await slack.until((state) => state.botMessages(general, ts)[0], "the progress");
  run.resolve("a bone");
  await slack.until((state) => answers(state, general, ts, 1), "the answer");
  await slack.until((state) => state.botMessages(general, ts).length === 1, "no progress");

  const [answer] = (await slack.look()).botMessages(general, ts);
  expect(answer?.ts).not.toBe(card?.ts);
  expect(answer).toMatchObject({ edits: 0, heard: { people: ["U0BEN"], text: "Found a bone." } });
});
