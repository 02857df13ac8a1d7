import type { Observation } from "../slack/observation.ts";
import type { SlackServer } from "../slack/slack-server.ts";
import type { MessageRecord } from "../slack/world/message-record.ts";
import { buttonsOf } from "../surfaces/slack-chat.ts";
import type { PlatformGate } from "./platform-gate.ts";
import type { Saying, Somebody, Surface } from "./platform-surface.ts";

/** Slack's general channel; Ben is the member, Anna the manager. */
export function slackSurface(slack: SlackServer, gate: PlatformGate): Surface {
  const channel = "C0GENERAL";
  const users = { member: "U0BEN", other: "U0CLEO", manager: "U0ANNA" };
  const directs = { member: "D0BEN", other: "D0CLEO", manager: "D0ANNA" };
  const whispers = (state: Observation, who: Somebody) => {
    const direct = state.all.messages.filter(
      (message) => message.channel === directs[who] && message.bot_id !== undefined && !message.gone,
    );
    return [...state.ephemerals(users[who]), ...direct].map(slackText);
  };
  const saying = (text: string, { who = "member", ago }: Saying = {}) => ({
    user: users[who],
    channel,
    text,
    ...(ago === undefined ? {} : { ago_ms: ago }),
  });
  const texts = (state: Observation, thread: string) => state.botMessages(channel, thread).map(slackText);
  return {
    name: "slack",
    gate,
    namespace: `slack:T0ACME:${channel}`,
    ask: async (text, how) => (await slack.say(saying(`<@U0KNACK> ${text}`, how))).ts,
    reply: async (thread, text, how) => (await slack.say({ ...saying(text, how), thread_ts: thread })).ts,
    say: async (text, how) => (await slack.say(saying(text, how))).ts,
    open: async (message) => message,
    async enableDirectly(skill, who) {
      const command = { command: "/skill", text: `enable ${skill}` };
      await slack.command({ user: users[who], channel: directs[who], ...command });
    },
    async askDirectly(text, answer, who = "member") {
      await slack.say({ user: users[who], channel: directs[who], text });
      await slack.until(
        (state) => state.botMessages(directs[who]).some((message) => slackText(message).includes(answer)),
        `“${answer}” for ${who}`,
      );
    },
    directNamespace: (who) => `slack:T0ACME:dm-${users[who]}`,
    async press(thread, label, who = "member") {
      const found = await slack.until(
        (state) => slackButtons(state.botMessages(channel, thread), label)[0],
        `the button ${label}`,
      );
      await slack.click({ user: users[who], channel, ...found });
    },
    async pressAll(thread, label, who) {
      for (const found of slackButtons(
        (await slack.lookAtMessages(thread)).botMessages(channel, thread),
        label,
      ))
        await slack.click({ user: users[who], channel, ...found }).catch(() => {});
    },
    whispers: async (who) => whispers(await slack.look(), who),
    async whispered(who, text) {
      await slack.until(
        (state) => whispers(state, who).some((each) => each.includes(text)),
        `“${text}” for ${who}`,
      );
    },
    async shown(thread, count = 0) {
      const now = texts(await slack.lookAtMessages(thread), thread);
      if (now.length >= count) return now;
      return slack.until(
        (state) => texts(state, thread).length >= count && texts(state, thread),
        `${count} messages in ${thread}`,
        30_000,
      );
    },
    async shows(thread, text) {
      await slack.until(
        (state) => texts(state, thread).some((each) => each.includes(text)),
        `“${text}” in ${thread}`,
        30_000,
      );
    },
    isPost: ({ path }) => path === "/api/chat.postMessage",
  };
}

/** The buttons with this label, that of the latest message first. */
function slackButtons(messages: readonly MessageRecord[], label: string) {
  return messages.toReversed().flatMap(({ ts, blocks }) => {
    const found = [...buttonsOf(blocks), ...opinionsOf(blocks)].find((button) => button.label === label);
    if (found === undefined) return [];
    const { action_id, value } = found;
    return [{ message_ts: ts, action_id, ...(value === undefined ? {} : { value }) }];
  });
}

/** Slack's own buttons for 👍 and 👎. */
function opinionsOf(blocks: MessageRecord["blocks"]) {
  type Opinion = { text: { text: string }; value: string };
  type Element = { action_id: string; positive_button: Opinion; negative_button: Opinion };
  return blocks
    .filter(({ type }) => type === "context_actions")
    .flatMap(({ elements }) => elements as Element[])
    .flatMap(({ action_id, positive_button, negative_button }) =>
      [positive_button, negative_button].map(({ text, value }) => ({ action_id, label: text.text, value })),
    );
}

/** The visible text of a Slack message: its Markdown blocks, or its text. */
export function slackText({ text, blocks }: { text: string; blocks: unknown[] }): string {
  const markdown = (blocks as MessageRecord["blocks"])
    .filter(({ type }) => type === "markdown")
    .map((block) => String(block.text));
  return markdown.length > 0 ? markdown.join("\n") : text;
}
