import { describe, expect, test } from "vitest";
import type { Model } from "../../../src/core/ports/model.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import type { Observation } from "../../support/slack/observation.ts";
import { answers, fakeSlack, slackBot } from "../support/slack-bot.ts";

const general = "C0GENERAL";
const long = (word: string) => `${word} `.repeat(60);

/** A model that says the first part, waits, and says the second. */
function haltingModel(first: string, second: string) {
  const go = Promise.withResolvers<void>();
  const model: Model = {
    id: "halting/model",
    generative: true,
    async *stream() {
      yield { type: "text", text: first };
      await go.promise;
      yield { type: "text", text: second };
      const message = { role: "assistant" as const, text: first + second, tool_calls: [] };
      yield {
        type: "finished",
        message,
        usage: { input_tokens: 1, output_tokens: 1 },
        model: "halting/model",
      };
    },
  };
  return { model, go: () => go.resolve() };
}

describe("an answer", () => {
  test("an answer has links only when it is whole, as Slack cannot be told not to preview those of a stream", async () => {
    const slack = await fakeSlack();
    const { model, go } = haltingModel(`${long("alpha")}see https://example.test/?a=1 and `, "omega");
    await slackBot(slack, model);
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> write" });
    const growing = await slack.until(
      (state) => state.botMessages(general, ts).find(({ text }) => text.includes("see")),
      "a growing answer",
    );
    expect(JSON.stringify(growing)).not.toContain("://example");

    go();

    await slack.until((state) => answers(state, general, ts, 1)?.[0]?.includes("omega"), "the answer");
    const [answer, ...others] = (await slack.look()).botMessages(general, ts);
    expect(others).toEqual([]);
    expect(answer?.blocks.find(({ type }) => type === "markdown")?.text).toContain(
      "https://example.test/?a=1 and omega",
    );
    expect(JSON.stringify(answer?.blocks)).toContain("feedback_buttons");
  });

  test("an answer continues in the same message when Slack closes the stream", async () => {
    const slack = await fakeSlack();
    const { model, go } = haltingModel(long("alpha"), `${long("beta")}omega`);
    await slackBot(slack, model);
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> write" });
    await slack.until((state) => state.botMessages(general, ts)[0]?.text.includes("alpha alpha"), "a stream");

    await slack.closeStreams();
    go();

    const [text = ""] = (await slack.until((state) => answers(state, general, ts, 1), "the answer")) ?? [];
    expect(text.match(/omega/g)).not.toBeNull();
    const own = (await slack.look()).botMessages(general, ts);
    expect(own).toHaveLength(1);
    const shown = own[0]?.blocks.find(({ type }) => type === "markdown")?.text;
    expect(shown).toBe(`${long("alpha")}${long("beta")}omega`);
  });

  test("an answer is edited where the workspace has no streams, which is checked once", async () => {
    const slack = await fakeSlack();
    await slack.fail({ method: "chat.startStream", error: "feature_not_enabled", times: 9 });
    const { model, go } = haltingModel(long("alpha"), "omega");
    await slackBot(slack, model);
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> write" });
    await slack.until((state) => state.botMessages(general, ts)[0], "a growing answer");
    go();
    await slack.until((state) => answers(state, general, ts, 1)?.[0]?.includes("omega"), "the answer");

    const next = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> again" });
    await slack.until((state) => answers(state, general, next.ts, 1)?.[0]?.includes("omega"), "another");

    const state = await slack.look();
    expect(state.calls("chat.startStream")).toHaveLength(1);
    expect(state.botMessages(general)).toHaveLength(2);
  });

  test("an answer waits when Slack limits the rate, and is posted once", async () => {
    const slack = await fakeSlack();
    await slack.rateLimit({ method: "chat.postMessage", seconds: 1, times: 1 });
    await slackBot(slack, scriptedModel(["Patience."]));

    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> hurry" });

    await slack.until((state) => answers(state, general, ts, 1), "an answer");
    const posts = (await slack.look()).calls("chat.postMessage");
    expect(posts.map(({ status }) => status)).toEqual([429, 200]);
    expect(Number(posts[1]?.at) - Number(posts[0]?.at)).toBeGreaterThanOrEqual(1_000);
  });
});

describe("progress", () => {
  test("progress is a status that names the work while nothing is shown", async () => {
    const slack = await fakeSlack();
    const run = Promise.withResolvers<string>();
    const slow = testSkill("slow", [{ name: "dig", title: "Digging", run: () => run.promise }]);
    await slackBot(slack, scriptedModel([[{ call: "dig" }], "Found it."]), {
      skills: [{ ...slow, active: true }],
    });
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> dig" });
    const statuses = (state: Observation) => state.all.statuses.filter(({ thread_ts }) => thread_ts === ts);
    await slack.until(
      (state) => statuses(state).find(({ loading_messages }) => loading_messages[0] === "Digging"),
      "what it does",
    );
    run.resolve("a bone");
    await slack.until((state) => answers(state, general, ts, 1), "an answer");
    await slack.until((state) => statuses(state).at(-1)?.status === "", "no status");
    expect((await slack.look()).refusals()).toEqual([]);
  });

  test("progress is put into words where the workspace refuses plans", async () => {
    const slack = await fakeSlack();
    await slack.fail({ method: "chat.startStream", error: "channel_type_not_supported" });
    await slack.fail({ method: "chat.postMessage", error: "invalid_blocks", times: 1 });
    const run = Promise.withResolvers<string>();
    const slow = testSkill("slow", [{ name: "dig", title: "Digging", run: () => run.promise }]);
    await slackBot(slack, scriptedModel([[{ call: "dig" }], "Found it."]), {
      skills: [{ ...slow, active: true }],
      chat: { progress_delay_ms: 1 },
    });
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> dig" });

    const shown = await slack.until((state) => state.botMessages(general, ts)[0], "progress");
    expect(shown.blocks[0]?.type).toBe("markdown");
    const stop = shown.blocks
      .flatMap((block) => (block.elements ?? []) as { action_id: string }[])
      .find(({ action_id }) => action_id?.startsWith("stop-answer:"));
    await slack.click({
      user: "U0BEN",
      channel: general,
      message_ts: shown.ts,
      action_id: stop?.action_id ?? "",
    });

    await slack.until((state) => answers(state, general, ts, 1), "the end");
    run.resolve("too late");
  });
});

describe("questions", () => {
  test("a question with many choices is a list to choose from, and the choice is the answer", async () => {
    const slack = await fakeSlack();
    const choices = Array.from({ length: 12 }, (_, index) => `Room ${index + 1}`);
    const ask = [{ call: "ask_user", with: { question: "Which room?", choices } }];
    const model = scriptedModel([ask, "Booked."]);
    await slackBot(slack, model);
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> book a room" });

    const asked = await slack.until(
      (state) =>
        state.botMessages(general, ts).find(({ blocks }) => JSON.stringify(blocks).includes("Room 12")),
      "the question",
    );
    const shown = JSON.stringify(asked.blocks);
    expect(shown).toContain('"static_select"');
    const value = /"value":"(answer:[^"]+:11)"/.exec(shown)?.[1] ?? "";
    await slack.click({ user: "U0BEN", channel: general, message_ts: asked.ts, action_id: "choose", value });

    const said = await slack.until((state) => answers(state, general, ts, 1), "the answer");
    expect(said?.join("\n")).toContain("Booked.");
    expect(JSON.stringify(model.requests[1])).toContain('\\"Room 12\\"');
  });
});

describe("a table", () => {
  const table = `| Month | Orders |\n|---|---|\n${Array.from({ length: 40 }, (_, at) => `| m${at} | ${at} |`).join("\n")}`;
  const ask = async (slack: Awaited<ReturnType<typeof fakeSlack>>) => {
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "<@U0KNACK> orders" });
    await slack.until((state) => answers(state, general, ts, 1), "an answer");
    return (await slack.look()).botMessages(general, ts)[0];
  };

  test("a table of forty rows is Slack's own, whole and without a file, and readable in the notification", async () => {
    const slack = await fakeSlack();
    await slackBot(slack, scriptedModel([`All of them:\n\n${table}`]));
    const answer = await ask(slack);
    expect(answer?.blocks.map(({ type }) => type).slice(0, 2)).toEqual(["markdown", "data_table"]);
    expect(answer?.blocks[1]?.rows).toHaveLength(41);
    expect(answer?.files).toEqual([]);
    expect(answer?.text).toContain("m3, 3");
  });

  test("a table is Markdown where the workspace refuses Slack's own, which is asked once", async () => {
    const slack = await fakeSlack();
    await slackBot(slack, scriptedModel([table, table]), { settings: {} });
    await slack.fail({ method: "chat.startStream", error: "unknown_method" });
    await slack.fail({ method: "chat.postMessage", error: "invalid_blocks", times: 1 });
    const first = await ask(slack);
    expect(first?.blocks[0]?.type).toBe("markdown");
    expect(String(first?.blocks[0]?.text)).toContain("| m39 | 39 |");
    const second = await ask(slack);
    expect(second?.blocks[0]?.type).toBe("markdown");
    expect(
      (await slack.look()).refusals().filter(({ method }) => method === "chat.postMessage"),
    ).toHaveLength(1);
  });
});

describe("a chart", () => {
  const chart = {
    kind: "bar" as const,
    title: "Orders",
    categories: ["Jan", "Feb"],
    series: [{ name: "Orders", values: [12, 19] }],
  };
  const png = { name: "orders.png", media_type: "image/png", data: Buffer.from("png") };
  const svg = { name: "orders.svg", media_type: "image/svg+xml", data: Buffer.from("<svg/>") };
  const words = { alt: "Bar chart: Orders. Jan 12, Feb 19.", chart };
  const posted = async (slack: Awaited<ReturnType<typeof fakeSlack>>, more: object) => {
    const { platform } = await slackBot(slack, scriptedModel(["-"]));
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "a chart please" });
    const files = [png, svg].map((file) => ({ ...file, ...words, ...more }));
    await platform.post({ namespace: "slack:T0ACME:C0GENERAL", thread: ts }, { markdown: "Here.", files });
    const state = await slack.look();
    return { message: state.botMessages(general, ts)[0], files: state.all.files, state };
  };

  test("a small chart is drawn by Slack, without a picture and a file", async () => {
    const { message, files, state } = await posted(await fakeSlack(), {});
    expect(message?.blocks.map(({ type }) => type)).toEqual(["markdown", "data_visualization"]);
    expect(message?.blocks[1]).toMatchObject({ title: "Orders", chart: { type: "bar" } });
    expect(message?.text).toContain("Orders: Jan 12, Feb 19");
    expect(files).toEqual([]);
    expect(state.refusals()).toEqual([]);
  });

  test.each([
    [
      "too many series",
      { series: Array.from({ length: 7 }, (_, at) => ({ name: `s${at}`, values: [1, 2] })) },
    ],
    ["a long label", { categories: ["a".repeat(21), "b"] }],
    ["a negative part of a pie", { kind: "pie", series: [{ name: "s", values: [1, -1] }] }],
    ["no title", { title: "" }],
  ])("a chart with %s is a picture that is described in words", async (_, change) => {
    const { message, state } = await posted(await fakeSlack(), { chart: { ...chart, ...change } });
    const picture = message?.blocks.find(({ type }) => type === "image");
    expect(picture?.alt_text).toBe(words.alt);
    expect(message?.files).toHaveLength(1);
    expect(state.refusals()).toEqual([]);
  });

  test("a chart that the workspace refuses is a picture, and Slack's own is tried again later", async () => {
    const slack = await fakeSlack();
    await slack.fail({ method: "chat.postMessage", error: "invalid_blocks", times: 1 });
    const { message } = await posted(slack, {});
    expect(message?.blocks.map(({ type }) => type)).toEqual(["markdown", "image"]);
    expect(message?.files).toHaveLength(1);
  });
});

describe("files", () => {
  test("a person's files are read with the bot's token, and only as far as allowed", async () => {
    const slack = await fakeSlack();
    const model = scriptedModel(["I see."]);
    const { platform } = await slackBot(slack, model);

    const { ts } = await slack.say({
      user: "U0BEN",
      channel: general,
      text: "<@U0KNACK> read this",
      files: [{ name: "notes.txt", mimetype: "text/plain", content: "bones: 1, 2" }],
    });

    await slack.until((state) => answers(state, general, ts, 1), "an answer");
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("bones: 1, 2");
    const place = { namespace: "slack:T0ACME:C0GENERAL", thread: ts };
    const [file] = (await platform.readThread(place, 10))[0]?.files ?? [];
    if (file === undefined) throw new Error("The file is not in the thread");
    const read = (reference: typeof file, maxBytes: number) =>
      platform.download(place, reference, { maxBytes, signal: AbortSignal.timeout(5_000) });
    expect(Buffer.from(await read(file, 100)).toString()).toBe("bones: 1, 2");
    await expect(read(file, 5)).rejects.toMatchObject({ code: "too_large" });
    await expect(read({ ...file, url: "http://127.0.0.1:9/steal" }, 5)).rejects.toMatchObject({
      code: "forbidden",
    });
    const { url: _, ...unaddressed } = file;
    expect((await read(unaddressed, 100)).byteLength).toBe(11);
    await slack.removeScopes({ team: "T0ACME", scopes: ["files:read"] });
    await expect(read(file, 100)).rejects.toMatchObject({ code: "forbidden" });
  });

  test("the bot's files are shown in its message, and a refusal of one is reported", async () => {
    const slack = await fakeSlack();
    const { platform } = await slackBot(slack, scriptedModel(["-"]));
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "a table please" });
    const place = { namespace: "slack:T0ACME:C0GENERAL", thread: ts };
    const files = [{ name: "bones.csv", media_type: "text/csv", data: Buffer.from("a,b") }];

    await platform.post(place, { markdown: "Here.", files });

    const file = await slack.until(
      (state) => state.all.files.find(({ state: is }) => is === "complete"),
      "it",
    );
    expect((await slack.file({ id: file.id })).text).toBe("a,b");
    expect(file.channels).toEqual([general]);
    expect((await slack.look()).botMessages(general, ts)[0]?.files).toEqual([file.id]);
    await slack.fail({ method: "files.completeUploadExternal", error: "access_denied", times: 2 });
    await platform.post(place, { markdown: "Once more.", files });
    const texts = (await slack.look()).botMessages(general, ts).map(({ text }) => text);
    expect(texts.at(-1)).toContain("I could not attach bones.csv");
  });
});
