import type { App, types, webApi } from "@slack/bolt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startHttpApp, startSocketApp, webClient } from "../../support/slack/bolt-rig.ts";
import { type SlackServer, startSlackServer } from "../../support/slack/slack-server.ts";

let slack: SlackServer;
let client: webApi.WebClient;
let app: App | undefined;

beforeEach(async () => {
  slack = await startSlackServer();
  client = webClient(slack);
});

afterEach(async () => {
  await app?.stop();
  app = undefined;
  await slack.close();
});

const plain = (text: string) => ({ type: "plain_text" as const, text });
const button = (action: string, value: string) => ({
  type: "button" as const,
  action_id: action,
  text: plain("Press"),
  value,
});
const buttons = (...elements: ReturnType<typeof button>[]) => [
  { type: "actions" as const, block_id: "choice", elements },
];
const modal: types.View = {
  type: "modal",
  callback_id: "settings",
  private_metadata: "C0GENERAL",
  title: plain("Settings"),
  submit: plain("Save"),
  blocks: [
    {
      type: "input",
      block_id: "name",
      label: plain("Name"),
      element: { type: "plain_text_input", action_id: "text", max_length: 10 },
    },
  ],
};

describe("clicks", () => {
  test("clicks reach the app with what was clicked, and fail once the button is gone", async () => {
    app = await startSocketApp(slack, (bolt) => {
      bolt.action("stop", async ({ ack, body, action, respond }) => {
        await ack();
        const value = action.type === "button" ? action.value : "";
        await respond({ text: `${body.user.id} pressed ${value}`, replace_original: true });
      });
    });
    const { ts } = await client.chat.postMessage({
      channel: "C0GENERAL",
      text: "Working",
      blocks: buttons(button("stop", "one"), button("other", "two")),
    });
    const message_ts = String(ts);
    const place = { user: "U0BEN", channel: "C0GENERAL", message_ts };
    await expect(slack.click({ ...place, action_id: "gone" })).rejects.toMatchObject({
      code: "no_such_element",
    });
    await expect(slack.click({ ...place, action_id: "stop", value: "two" })).rejects.toThrow(
      "no_such_element",
    );
    await expect(slack.click({ ...place, user: "U0GUS", action_id: "stop" })).rejects.toThrow(
      "not_in_channel",
    );
    await slack.click({ ...place, action_id: "stop" });
    const edited = await slack.until(
      (state) => state.messages("C0GENERAL").find((each) => each.edits > 0),
      "edit",
    );
    expect(edited).toMatchObject({ text: "U0BEN pressed one", blocks: [] });
    await expect(slack.click({ ...place, action_id: "stop" })).rejects.toThrow("no_such_element");
    const [delivery] = (await slack.look()).deliveries("block_actions");
    expect(delivery?.payload).toMatchObject({
      container: { message_ts, is_ephemeral: false },
      trigger_id: expect.any(String),
    });
  });

  test("clicks on a message that one person sees work for that person only, even over HTTP", async () => {
    app = await startHttpApp(slack, (bolt) => {
      bolt.action("allow", async ({ ack, respond }) => {
        await ack();
        await respond({ delete_original: true });
      });
    });
    const blocks = buttons(button("allow", "yes"));
    const given = { channel: "C0GENERAL", text: "May I?", blocks };
    await expect(client.chat.postEphemeral({ ...given, user: "U0GUS" })).rejects.toMatchObject({
      data: { error: "user_not_in_channel" },
    });
    const { message_ts = "" } = await client.chat.postEphemeral({ ...given, user: "U0BEN" });
    const click = { channel: "C0GENERAL", message_ts, action_id: "allow" };
    await expect(slack.click({ ...click, user: "U0ANNA" })).rejects.toMatchObject({
      code: "message_not_found",
    });
    await slack.click({ ...click, user: "U0BEN" });
    await slack.until((state) => state.ephemerals("U0BEN").length === 0, "the message gone");
  });

  test("a response_url answers five times", async () => {
    const statuses: number[] = [];
    app = await startHttpApp(slack, (bolt) => {
      bolt.command("/knack", async ({ ack, command }) => {
        await ack();
        for (let use = 0; use < 6; use += 1) {
          const body = JSON.stringify({
            text: `use ${use}`,
            response_type: use === 0 ? "in_channel" : "ephemeral",
          });
          statuses.push((await fetch(command.response_url, { method: "POST", body })).status);
        }
      });
    });
    await slack.command({ user: "U0BEN", channel: "C0GENERAL", command: "/knack" });
    await slack.until((state) => state.ephemerals("U0BEN").length === 4, "four private answers");
    await expect.poll(() => statuses).toEqual([200, 200, 200, 200, 200, 404]);
    expect((await slack.look()).botMessages("C0GENERAL").map(({ text }) => text)).toEqual(["use 0"]);
  });

  test("an answer after a click in a thread is private and in the channel, and one with in_channel overwrites the clicked message", async () => {
    app = await startSocketApp(slack, (bolt) => {
      bolt.action("go", async ({ ack, respond }) => {
        await ack();
        await respond({ text: "private" });
        await respond({ text: "public", response_type: "in_channel" });
      });
    });
    const { ts: thread_ts } = await slack.say({ user: "U0BEN", channel: "C0GENERAL", text: "start" });
    const blocks = buttons(button("go", "1"));
    const { ts } = await client.chat.postMessage({ channel: "C0GENERAL", thread_ts, text: "Go?", blocks });
    await slack.click({ user: "U0BEN", channel: "C0GENERAL", message_ts: String(ts), action_id: "go" });
    await slack.until(
      (state) => state.botMessages("C0GENERAL", thread_ts)[0]?.text === "public",
      "overwritten",
    );
    const [shown] = (await slack.look()).ephemerals("U0BEN");
    expect([shown?.text, shown?.thread_ts]).toEqual(["private", undefined]);
  });

  test("a message shortcut carries the message", async () => {
    app = await startSocketApp(slack, (bolt) => {
      bolt.shortcut({ callback_id: "ask", type: "message_action" }, async ({ shortcut, ack, respond }) => {
        await ack();
        await respond({ text: `About “${shortcut.message.text}”`, response_type: "ephemeral" });
      });
    });
    const { ts } = await slack.say({ user: "U0ANNA", channel: "C0GENERAL", text: "the plan" });
    await slack.shortcut({ user: "U0BEN", callback_id: "ask", channel: "C0GENERAL", message_ts: ts });
    const shown = await slack.until((state) => state.ephemerals("U0BEN")[0], "the answer");
    expect(shown.text).toBe("About “the plan”");
  });
});

describe("views", () => {
  test("a modal opens once per trigger, checks what is entered, shows errors and closes", async () => {
    const again: unknown[] = [];
    app = await startSocketApp(slack, (bolt) => {
      bolt.command("/settings", async ({ ack, command }) => {
        await ack();
        await bolt.client.views.open({ trigger_id: command.trigger_id, view: modal });
        await bolt.client.views
          .open({ trigger_id: command.trigger_id, view: modal })
          .catch((error: { data: { error: string } }) => again.push(error.data.error));
      });
      bolt.view("settings", async ({ ack, view }) => {
        const name = view.state.values.name?.text?.value ?? "";
        await (name === "bad" ? ack({ response_action: "errors", errors: { name: "Not this." } }) : ack());
      });
    });
    await slack.command({ user: "U0BEN", channel: "C0GENERAL", command: "/settings" });
    const [view] = await slack.until(
      (state) => state.modals("U0BEN").length === 1 && state.modals("U0BEN"),
      "modal",
    );
    await expect.poll(() => again).toEqual(["exchanged_trigger_id"]);
    const submit = (text: string) =>
      slack.submitView({ user: "U0BEN", callback_id: "settings", values: { name: { text } } });
    await expect(slack.submitView({ user: "U0BEN", callback_id: "settings" })).rejects.toThrow(
      "required_input",
    );
    await expect(submit("longer than ten")).rejects.toMatchObject({ code: "wrong_length" });
    await submit("bad");
    await slack.until((state) => state.modals("U0BEN")[0]?.errors.name === "Not this.", "the error shown");
    await submit("good");
    await slack.until((state) => state.modals("U0BEN").length === 0, "the modal closed");
    await expect(client.views.update({ view_id: String(view?.id), view: modal })).rejects.toMatchObject({
      data: { error: "not_found" },
    });
  });

  test("the app gives the options of a select while the person types, and a trigger ends after 3 s", async () => {
    const select = { type: "external_select" as const, action_id: "pick", min_query_length: 1 };
    const view: types.View = {
      ...modal,
      blocks: [{ type: "input", block_id: "skill", label: plain("Skill"), element: select }],
    };
    const late: unknown[] = [];
    app = await startSocketApp(slack, (bolt) => {
      bolt.command("/pick", async ({ ack, command }) => {
        await ack();
        await bolt.client.views.open({ trigger_id: command.trigger_id, view });
      });
      bolt.command("/late", async ({ ack, command }) => {
        await ack();
        await slack.expireTriggers();
        await bolt.client.views
          .open({ trigger_id: command.trigger_id, view })
          .catch((error: { data: { error: string } }) => late.push(error.data.error));
      });
      bolt.options("pick", async ({ ack, payload }) => {
        await ack({ options: [{ text: plain(payload.value), value: "chosen" }] });
      });
    });
    await slack.command({ user: "U0BEN", channel: "C0GENERAL", command: "/pick" });
    const { id } = await slack.until((state) => state.modals("U0BEN")[0], "the modal");
    await slack.suggest({ user: "U0BEN", view_id: id, action_id: "pick", value: "sear" });
    const given = await slack.until(
      (state) => state.deliveries("block_suggestion")[0]?.attempts[0]?.response,
      "options",
    );
    expect(given).toEqual({ options: [{ text: plain("sear"), value: "chosen" }] });
    await slack.command({ user: "U0BEN", channel: "C0GENERAL", command: "/late" });
    await expect.poll(() => late).toEqual(["expired_trigger_id"]);
  });

  test("bad triggers and views are refused by Slack with what is wrong", async () => {
    const refused = (view: types.View, trigger_id = "1.2.x") =>
      client.views.open({ trigger_id, view }).catch((error: { data: unknown }) => error.data);
    expect(await refused(modal)).toMatchObject({ error: "invalid_trigger_id" });
    const home = { type: "home" as const, blocks: [{ type: "markdown" as const, text: "x" }] };
    await expect(client.views.publish({ user_id: "U0BEN", view: home })).rejects.toMatchObject({
      data: {
        error: "invalid_blocks",
        response_metadata: { messages: [expect.stringContaining("markdown")] },
      },
    });
    await expect(client.views.publish({ user_id: "U1CARL", view: home })).rejects.toMatchObject({
      data: { error: "user_not_found" },
    });
  });

  test("the home is published, clicked, and guarded by its hash", async () => {
    app = await startSocketApp(slack, (bolt) => {
      bolt.event("app_home_opened", async ({ event }) => {
        const view = { type: "home" as const, blocks: buttons(button("open", "1")) };
        await bolt.client.views.publish({ user_id: event.user, view });
      });
      bolt.action("open", async ({ ack, body }) => {
        await ack();
        if (body.type !== "block_actions") return;
        await bolt.client.views.open({ trigger_id: body.trigger_id, view: modal });
      });
    });
    await slack.openHome({ user: "U0ANNA" });
    const home = await slack.until((state) => state.home("U0ANNA"), "the home");
    await slack.click({ user: "U0ANNA", view_id: home.id, action_id: "open" });
    await slack.until((state) => state.modals("U0ANNA")[0], "the modal");
    const view = { type: "home" as const, blocks: [] };
    await expect(client.views.publish({ user_id: "U0ANNA", view, hash: "1.old" })).rejects.toMatchObject({
      data: { error: "hash_conflict" },
    });
    await client.views.publish({ user_id: "U0ANNA", view, hash: home.hash });
    await expect(slack.click({ user: "U0ANNA", view_id: home.id, action_id: "open" })).rejects.toThrow(
      "no_such_element",
    );
  });
});
