import { describe, expect, test } from "vitest";
import { slackText } from "../../support/bot/platform-slack.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import type { SlackServer } from "../../support/slack/slack-server.ts";
import { defaultSeed } from "../../support/slack/world/seed.ts";
import { buttonsOf } from "../../support/surfaces/slack-chat.ts";
import { answers, fakeSlack, slackBot } from "../support/slack-bot.ts";

const general = "C0GENERAL";
const ben = { user: "U0BEN", channel: general };

/** A Slack whose workspace has agent sessions, and an app that hears of its Stop button. */
function slackWith(sessions: "none" | "yes" | "stoppable"): Promise<SlackServer> {
  const workspaces = defaultSeed().workspaces.map((workspace) => ({ ...workspace, sessions }));
  return fakeSlack({ seed: { workspaces } });
}

/** A tool that runs until it is stopped or let go. */
function slowTool() {
  const gate = Promise.withResolvers<string>();
  const run = (_: unknown, { signal }: { signal: AbortSignal }) =>
    Promise.race([
      gate.promise,
      new Promise<string>((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      ),
    ]);
  return { skills: [testSkill("dig", [{ name: "dig", run }], { active: true })], open: gate.resolve };
}

const chat = { progress_delay_ms: 400 };
const dig = [{ call: "dig", with: {} }];

const isProcessing = (slack: SlackServer, ts: string) =>
  slack.until((state) => state.session(general, ts).at(-1) === "processing" || undefined, "a session");
const isActive = (slack: SlackServer, ts: string) =>
  slack.until((state) => state.session(general, ts).at(-1) === "active" || undefined, "its end");
const shown = (slack: SlackServer, ts: string) =>
  slack.until((state) => state.botMessages(general, ts)[0], "the progress");

describe("a thread in a workspace with agent sessions", () => {
  test("a session is processing while the bot works, has the question as its title, and is active afterwards", async () => {
    const slack = await slackWith("stoppable");
    const { skills, open } = slowTool();
    await slackBot(slack, scriptedModel([dig, "Found it."]), { skills, chat });
    const { ts } = await slack.say({ ...ben, text: "<@U0KNACK> dig for a bone" });

    await isProcessing(slack, ts);
    const card = await shown(slack, ts);
    expect(buttonsOf(card.blocks).map(({ label }) => label)).not.toContain("Stop");
    open("a bone");
    await slack.until((state) => answers(state, general, ts, 1), "the answer");
    await isActive(slack, ts);

    const state = await slack.look();
    expect(state.session(general, ts)).toEqual(["processing", "active"]);
    expect(state.all.sessions[0]?.title).toBe("dig for a bone");
    expect(state.refusals()).toEqual([]);
  });

  test("Slack's own Stop stops the turn, a second press changes nothing, and the session is active", async () => {
    const slack = await slackWith("stoppable");
    const { skills } = slowTool();
    const model = scriptedModel([dig, "Never said."]);
    await slackBot(slack, model, { skills, chat });
    const { ts } = await slack.say({ ...ben, text: "<@U0KNACK> dig" });
    await isProcessing(slack, ts);
    await shown(slack, ts);

    await slack.stopSession({ ...ben, thread_ts: ts });
    await slack.stopSession({ ...ben, thread_ts: ts }).catch(() => undefined);
    await slack.until(
      (state) =>
        state.botMessages(general, ts).some((each) => slackText(each).includes("Stopped.")) || undefined,
      "the end",
    );
    await isActive(slack, ts);

    const texts = (await slack.look()).botMessages(general, ts).map(slackText);
    expect(texts).toEqual([expect.stringContaining("Stopped.")]);
    expect(model.requests).toHaveLength(1);
  });

  test("a Stop by somebody who may not stop it is refused in private, and the work goes on", async () => {
    const slack = await slackWith("stoppable");
    await slack.addUser({
      ...{ id: "U0EVE", team_id: "T0ACME", name: "eve", real_name: "Eve" },
      ...{ display_name: "eve", tz: "UTC" },
    });
    const { skills, open } = slowTool();
    await slackBot(slack, scriptedModel([dig, "Found it."]), { skills, chat });
    const { ts } = await slack.say({ ...ben, text: "<@U0KNACK> dig" });
    await isProcessing(slack, ts);
    await shown(slack, ts);

    await slack.stopSession({ channel: general, user: "U0EVE", thread_ts: ts });
    await slack.until(
      (state) => state.calls("chat.postEphemeral").find((call) => call.arguments.user === "U0EVE"),
      "the refusal",
    );
    open("a bone");

    expect((await slack.until((state) => answers(state, general, ts, 1), "the answer")).join()).toContain(
      "Found it.",
    );
  });

  test("a session is suspended while a question waits, and processes its answer", async () => {
    const slack = await slackWith("stoppable");
    const ask = [{ call: "ask_user", with: { question: "Where to?", choices: ["staging", "production"] } }];
    await slackBot(slack, scriptedModel([ask, "Deployed."]), { chat });
    const { ts } = await slack.say({ ...ben, text: "<@U0KNACK> deploy" });
    await slack.until((state) => state.session(general, ts).at(-1) === "suspended" || undefined, "a wait");
    await slack.say({ ...ben, text: "staging", thread_ts: ts });
    await slack.until(
      (state) =>
        state.botMessages(general, ts).some((each) => slackText(each).includes("Deployed.")) || undefined,
      "the answer",
    );
    await isActive(slack, ts);
    const statuses = (await slack.look()).session(general, ts);
    expect(statuses.filter((each, index) => each !== statuses[index - 1])).toEqual(
      expect.arrayContaining(["processing", "suspended", "active"]),
    );
  });

  test("a Stop that comes while a file is uploaded is too late: the answer is posted once, with its file", async () => {
    const slack = await slackWith("stoppable");
    const make = testSkill(
      "make",
      [
        {
          name: "make",
          run: async (_, context) => {
            const data = new TextEncoder().encode("a,b\n1,2\n");
            return context.file({ name: "plan.csv", media_type: "text/csv", data });
          },
        },
      ],
      { active: true },
    );
    await slackBot(slack, scriptedModel([[{ call: "make", with: {} }], "Here it is."]), {
      skills: [make],
      chat,
      settings: { streaming: "off" },
    });
    await slack.delay({ method: "files.getUploadURLExternal", ms: 1_000, times: 1 });
    const { ts } = await slack.say({ ...ben, text: "<@U0KNACK> make a plan" });
    await slack.until((state) => state.calls("files.getUploadURLExternal")[0], "an upload");
    await slack.stopSession({ ...ben, thread_ts: ts });
    await slack.until((state) => answers(state, general, ts, 1), "the answer");
    await isActive(slack, ts);
    const posted = (await slack.look()).botMessages(general, ts);
    expect(posted.map(slackText).join()).toContain("Here it is.");
    expect(posted.flatMap(({ files }) => files)).toHaveLength(1);
  });
});

test("an app without the subscription to Stop keeps its own button", async () => {
  const slack = await slackWith("yes");
  const { skills, open } = slowTool();
  await slackBot(slack, scriptedModel([dig, "Found it."]), { skills, chat });
  const { ts } = await slack.say({ ...ben, text: "<@U0KNACK> dig" });
  const card = await shown(slack, ts);
  expect(buttonsOf(card.blocks).map(({ label }) => label)).toContain("Stop");
  open("a bone");
  await slack.until((state) => answers(state, general, ts, 1), "the answer");
});

test("a workspace without sessions is asked once, and has a status and a Stop button of the bot", async () => {
  const slack = await slackWith("none");
  const { skills, open } = slowTool();
  await slackBot(slack, scriptedModel([dig, "Found it.", "Hello."]), { skills, chat });
  const { ts } = await slack.say({ ...ben, text: "<@U0KNACK> dig" });
  const card = await shown(slack, ts);
  expect(buttonsOf(card.blocks).map(({ label }) => label)).toContain("Stop");
  open("a bone");
  await slack.until((state) => answers(state, general, ts, 1), "the answer");
  const { ts: next } = await slack.say({ ...ben, text: "<@U0KNACK> hello" });
  await slack.until((state) => answers(state, general, next, 1), "the next answer");
  const state = await slack.look();
  expect(state.calls("agents.sessions.setStatus")).toHaveLength(1);
  expect(state.statuses(general, ts).length).toBeGreaterThan(0);
});

test("a thread whose session cannot be renamed gets its title in the other way", async () => {
  const slack = await slackWith("stoppable");
  await slackBot(slack, scriptedModel(["Hello.", "Sure."]), { chat });
  const { ts } = await slack.say({ ...ben, text: "<@U0KNACK> hello" });
  await slack.until((state) => answers(state, general, ts, 1), "an answer");
  await slack.fail({ method: "agents.sessions.rename", error: "session_not_found" });

  const { channel, thread_ts } = await slack.assistantThread({ user: "U0BEN" });
  await slack.until((state) => state.all.prompts[0], "prompts");
  await slack.say({ user: "U0BEN", channel, text: "plan the launch", thread_ts });

  const { title } = await slack.until((state) => state.all.titles[0], "a title");
  expect(title).toBe("plan the launch");
  expect((await slack.look()).calls("agents.sessions.rename")).toHaveLength(1);
});
