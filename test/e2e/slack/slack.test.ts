import { describe, expect, test } from "vitest";
import { createMemoryTurnLog } from "../../../src/storage/memory-turn-log.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { answers, fakeSlack, slackBot } from "../support/slack-bot.ts";

const general = "C0GENERAL";

describe("in a channel", () => {
  test("a message that could not be stored is not acknowledged, arrives again and is answered once", async () => {
    const slack = await fakeSlack({ ackTimeoutMs: 250 });
    const log = createMemoryTurnLog();
    let failures = 2;
    const accept = log.accept.bind(log);
    log.accept = (...given) => {
      failures -= 1;
      return failures >= 0 ? Promise.reject(new Error("disk full")) : accept(...given);
    };
    await slackBot(slack, scriptedModel(["Here."]), { log });

    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> are you there?" });

    await slack.until((state) => answers(state, general, ts, 1), "an answer");
    await slack.until((state) => state.deliveries().every((each) => each.acked), "all acknowledged");
    const attempts = (await slack.look()).deliveries().flatMap((each) => each.attempts);
    expect(attempts.some(({ failure }) => failure === "timeout")).toBe(true);
    expect((await slack.look()).botMessages(general)).toHaveLength(1);
  });

  test("a message is answered once when Slack is slow to say who asks, and so delivers it again", async () => {
    const slack = await fakeSlack({ ackTimeoutMs: 250 });
    await slack.delay({ method: "users.info", ms: 600, times: 2 });
    const model = scriptedModel(["Here."]);
    await slackBot(slack, model);

    const { ts } = await slack.say({ user: "U0ANNA", channel: general, text: "<@U0KNACK> who am I?" });

    await slack.until((state) => answers(state, general, ts, 1), "an answer");
    await slack.until((state) => state.deliveries().every((each) => each.acked || each.given_up), "acks");
    const attempts = (await slack.look()).deliveries().flatMap((each) => each.attempts);
    expect(attempts.some(({ failure }) => failure === "timeout")).toBe(true);
    expect((await slack.look()).botMessages(general)).toHaveLength(1);
    expect(model.requests).toHaveLength(1);
  });

  test("follow-ups of the asker need no mention, and people talking to each other are left alone", async () => {
    const slack = await fakeSlack();
    const model = scriptedModel(["One.", "Two."]);
    await slackBot(slack, model);
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> count" });
    await slack.until((state) => answers(state, general, ts, 1), "an answer");

    await slack.say({ user: "U0BEN", channel: general, text: "go on", thread_ts: ts });
    await slack.until((state) => answers(state, general, ts, 2), "a second answer");
    await slack.say({ user: "U0ANNA", channel: general, text: "<@U0BEN> lunch?" });
    await slack.until((state) => state.deliveries().every((each) => each.acked), "all acknowledged");

    expect(model.requests).toHaveLength(2);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("go on");
  });

  test("the bot reads names, not ids, and cannot call everybody", async () => {
    const slack = await fakeSlack();
    const model = scriptedModel(["<!channel> and @everyone and <!subteam^S1> listen"]);
    await slackBot(slack, model);

    const text = "<@U0KNACK> ask <@U0ANNA> in <#C0GENERAL> about <https://a.example/x|this> &amp; that";
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text });

    const [answer = ""] = (await slack.until((state) => answers(state, general, ts, 1), "an answer")) ?? [];
    expect(answer).not.toMatch(/<!channel>|@everyone|<!subteam/);
    const asked = JSON.stringify(model.requests[0]?.messages.at(-1));
    expect(asked).toMatch(/ask @anna in #general about \[this\]\(https:\/\/a\.example\/x\) & that/);
  });

  test("names that Slack is slow to tell do not hold up the acknowledgement", async () => {
    const slack = await fakeSlack();
    await slack.delay({ method: "users.info", ms: 4_000, times: 1 });
    const model = scriptedModel(["Here."]);
    await slackBot(slack, model);

    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> greet <@U0ANNA>" });

    await slack.until((state) => answers(state, general, ts, 1), "an answer");
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("greet @U0ANNA");
    const attempts = (await slack.look()).deliveries("app_mention").flatMap((each) => each.attempts);
    expect(attempts.map(({ failure }) => failure)).toEqual([undefined]);
  });

  test("a message edited while it is answered changes the turn, and a link preview changes nothing", async () => {
    const slack = await fakeSlack();
    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const gate = async () => {
      asked.resolve();
      await go.promise;
    };
    const model = scriptedModel(["Done."], { gate });
    await slackBot(slack, model);
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> 2 + 2" });
    await asked.promise;

    await slack.unfurl({ channel: general, ts });
    await slack.edit({ channel: general, ts, text: "<@U0KNACK> 3 + 3" });
    await slack.until(
      (state) => state.deliveries("message.message_changed").filter(({ acked }) => acked).length === 2,
      "both changes acknowledged",
    );
    go.resolve();

    const said = () => JSON.stringify(model.requests.map(({ messages }) => messages));
    await slack.until(
      (state) => answers(state, general, ts, 1) && said().includes("3 + 3"),
      "an answer to the new question",
    );
    const edits = model.requests
      .at(-1)
      ?.messages.filter((message) => JSON.stringify(message).includes("I edited my message"));
    expect(edits).toHaveLength(1);
  });

  test("a guest is refused so that only they see it", async () => {
    const slack = await fakeSlack();
    await slackBot(slack, scriptedModel(["-"]));

    await slack.say({ user: "U0GUS", channel: "C0SHARED", text: "<@U0KNACK> hello" });
    const refusal = await slack.until((state) => state.ephemerals("U0GUS")[0], "a refusal");
    await slack.say({ user: "U0STELLA", channel: "C0SHARED", text: "<@U0KNACK> hello" });
    await slack.until((state) => state.ephemerals("U0STELLA")[0], "a refusal of an outsider");

    expect(refusal.thread_ts).toBeUndefined();
    expect((await slack.look()).botMessages("C0SHARED")).toEqual([]);
  });
});

const greeter = testSkill("greeter", [], { examples: [{ prompt: "Please greet Ada.", call: "" }] });

describe("in direct messages", () => {
  test("a person who opens the direct messages is shown prompts that fit", async () => {
    const slack = await fakeSlack();
    await slackBot(slack, scriptedModel(["-"]), { skills: [greeter] });

    await slack.openHome({ user: "U0BEN", tab: "messages" });
    const shown = await slack.until((state) => state.all.prompts[0], "prompts");
    expect(shown.channel).toBe("D0BEN");
    expect(shown.prompts).toContainEqual({ title: "Please greet Ada.", message: "Please greet Ada." });
    expect(shown.thread_ts).toBeUndefined();
  });

  test("an assistant thread gets prompts, shows that it works, and is answered there", async () => {
    const slack = await fakeSlack();
    await slackBot(slack, scriptedModel(["At your service."]));

    const { channel, thread_ts } = await slack.assistantThread({ user: "U0BEN" });
    await slack.until((state) => state.all.prompts.find((each) => each.thread_ts === thread_ts), "prompts");
    await slack.say({ user: "U0BEN", channel, text: "help me", thread_ts });

    await slack.until(
      (state) => state.botMessages(channel, thread_ts).some(({ metadata }) => metadata !== undefined),
      "an answer",
    );
    await slack.until((state) => state.all.titles.find(({ title }) => title === "help me"), "a title");
    const statuses = (await slack.look()).statuses(channel, thread_ts);
    expect(statuses[0]).not.toBe("");
    expect(statuses.at(-1)).toBe("");
    expect((await slack.look()).refusals()).toEqual([]);
  });
});
