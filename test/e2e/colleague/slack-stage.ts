import { slackText } from "../../support/bot/platform-slack.ts";
import type { SlackServer } from "../../support/slack/slack-server.ts";
import type { MessageRecord } from "../../support/slack/world/message-record.ts";
import { defaultSeed, type SlackSeed } from "../../support/slack/world/seed.ts";
import { buttonsOf, planText } from "../../support/surfaces/slack-chat.ts";
import type { Posted, Stage } from "./stage.ts";

const bot = "U0KNACK";
const ids: Record<string, string> = {
  ann: "U0ANN",
  ben: "U0BEN1",
  cleo: "U0CLEO1",
  tom: "U0TOM1",
  dora: "U0DORA1",
  oncall: "S0ONCALL1",
};
const channels: Record<string, string> = { general: "C0GENERAL", random: "C0RANDOM1", board: "C0BOARD1" };
const team = "T0ACME";

/** Ann's workspace: #general and #random for all, #board for Ann and Ben. */
export function colleagueSlack(): Pick<SlackSeed, "users" | "channels" | "user_groups"> {
  const person = (name: string, real: string, tz: string) => ({
    ...{ id: ids[name] ?? "", team_id: team, name, real_name: real, display_name: name, tz },
  });
  const room = (id: string, name: string, kind: "public" | "private" | "im", members: string[]) => ({
    ...{ id, team_id: team, name, kind, creator: members[0] ?? "", members: [...members, bot] },
  });
  const all = ["ann", "ben", "cleo", "tom", "dora"].map((name) => ids[name] ?? "");
  const { ann = "", ben = "" } = ids;
  return {
    users: [
      ...defaultSeed().users.filter(({ team_id }) => team_id !== team),
      person("ann", "Ann Adams", "Europe/Berlin"),
      person("ben", "Ben Beck", "Europe/Berlin"),
      person("cleo", "Cleo Clark", "Europe/Amsterdam"),
      person("tom", "Tom Tate", "America/New_York"),
      person("dora", "Dora Dorn", "Europe/Madrid"),
    ],
    channels: [
      room("C0GENERAL", "general", "public", all),
      room("C0RANDOM1", "random", "public", all),
      room("C0BOARD1", "board", "private", [ann, ben]),
      ...["ann", "ben", "cleo", "tom", "dora"].map((name) =>
        room(`D0${name.toUpperCase()}`, "", "im", [idOf(name)]),
      ),
    ],
    user_groups: [{ id: "S0ONCALL1", team_id: team, handle: "oncall", name: "On call", users: [ben] }],
  };
}

const idOf = (name: string) => ids[name] ?? name;
const nameOf = (id: string) => Object.entries(ids).find(([, each]) => each === id)?.[0] ?? id;

/** What people write becomes Slack's own mentions. */
function written(text: string): string {
  return text
    .replace(/@oncall\b/g, "<!subteam^S0ONCALL1|@oncall>")
    .replace(/@(ann|ben|cleo|tom|dora)\b/g, (_whole, name: string) => `<@${idOf(name)}>`);
}

export function slackStage(slack: SlackServer): Stage {
  const said: { ts: string; channel: string; text: string }[] = [];
  const postedSince = async (since: number): Promise<Posted[]> => {
    const { all } = await slack.look();
    const messages = all.messages.filter(({ bot_id, gone }) => bot_id !== undefined && !gone);
    const shown = messages.filter(({ ts }) => Number(ts) * 1_000 > since);
    const whispers = all.ephemerals.filter((each) => each.shown && Number(each.ts) * 1_000 > since);
    return [
      ...shown.map((message) => postedOf(message)),
      ...whispers.map((each): Posted => {
        const text = slackText({ ...each, files: [] } as unknown as MessageRecord);
        return {
          ...{ text, where: whereOf(each.channel), top: each.thread_ts === undefined },
          ...{ only: nameOf(each.user), calls: [], buttons: [], files: [] },
        };
      }),
    ];
    function postedOf(message: MessageRecord): Posted {
      const raw = message.text + JSON.stringify(message.blocks);
      const calls = [...raw.matchAll(/<(?:@|!subteam\^)([A-Z0-9]+)>/g)].map(([, id]) => nameOf(id ?? ""));
      return {
        text: slackText(message),
        progress: planText(message),
        where: whereOf(message.channel),
        top: message.thread_ts === undefined,
        calls: [...new Set(calls)],
        buttons: buttonsOf(message.blocks).map(({ label }) => label),
        files: message.files.map((id) => all.files.find((file) => file.id === id)?.name ?? id),
        data: message.blocks.filter(({ type }) => String(type).startsWith("data_")),
      };
    }
    function whereOf(channel: string): string {
      const name = Object.entries(channels).find(([, id]) => id === channel)?.[0];
      return name ?? `dm:${channel.replace(/^D0/, "").toLowerCase()}`;
    }
  };
  return {
    name: "slack",
    async prepare(earlier) {
      for (const { by, text, hours, channel = "general" } of earlier) {
        const where = channels[channel] ?? "";
        const given = { user: idOf(by), channel: where, text: written(text), ago_ms: hours * 3_600_000 };
        const { ts } = await slack.say(given);
        said.push({ ts, channel: where, text });
      }
    },
    async say({ say, who = "ann", direct, answered, voice }) {
      const channel = direct === true ? `D0${who.toUpperCase()}` : "C0GENERAL";
      const mention = direct === true ? "" : `<@${bot}> `;
      let thread: string | undefined;
      const write = async (
        text: string,
        files: { name: string; mimetype: string; content_base64: string }[] = [],
      ) => {
        const place = thread === undefined ? {} : { thread_ts: thread };
        const { ts } = await slack.say({
          user: idOf(who),
          channel,
          text: mention + written(text),
          ...place,
          files,
        });
        thread ??= ts;
        return ts;
      };
      if (answered !== undefined) {
        const ts = await write(`say: ${answered}`);
        await slack.until(
          (state) => state.botMessages(channel, ts).some((message) => slackText(message).includes(answered)),
          `“${answered}”`,
        );
      }
      const audio = Buffer.from(`voice:${voice ?? ""}`).toString("base64");
      const clip = { name: "audio_message.mp4", mimetype: "audio/mp4", content_base64: audio };
      const since = Number(await write(say, voice === undefined ? [] : [clip])) * 1_000;
      return {
        posted: () => postedSince(since),
        async press(label) {
          const { all } = await slack.look();
          const found = all.messages
            .filter((message) => !message.gone && message.bot_id !== undefined)
            .flatMap((message) => buttonsOf(message.blocks).map((button) => ({ ...button, message })))
            .findLast((button) => button.label === label);
          if (found === undefined) throw new Error(`Slack shows no button “${label}”.`);
          const { message, action_id, value } = found;
          const at = { channel: message.channel, message_ts: message.ts };
          await slack.click({ user: idOf(who), ...at, action_id, value });
        },
      };
    },
    async everything() {
      const { all } = await slack.look();
      const own = all.messages.filter(({ bot_id, gone }) => bot_id !== undefined && !gone);
      return own.map(slackText).join("\n");
    },
    async marks() {
      const { all } = await slack.look();
      const own = all.messages.flatMap((message) =>
        message.reactions
          .filter(({ users, name }) => users.includes(bot) && name !== "eyes")
          .map(({ name }) => ({ to: message.text, emoji: name })),
      );
      return { pinned: all.messages.filter(({ pinned }) => pinned).map(({ text }) => text), reactions: own };
    },
    async happen(what, text) {
      const { ts } = await slack.say({ user: idOf("ben"), channel: "C0GENERAL", text });
      if (what === "reaction")
        await slack.react({ channel: "C0GENERAL", ts, user: idOf("ann"), reaction: "eyes" });
    },
    async wake() {
      const text = "schedule add in P20D stretch";
      await slack.command({ user: idOf("ann"), channel: "C0GENERAL", command: "/agent", text });
    },
    async planned() {
      const before = new Set((await slack.look()).ephemerals(idOf("ann")).map(({ ts }) => ts));
      const list = { user: idOf("ann"), channel: "C0GENERAL", command: "/agent", text: "schedule list" };
      const listed = async () => {
        await slack.command(list);
        return slack.until(
          (state) => state.ephemerals(idOf("ann")).find(({ ts }) => !before.has(ts)),
          "the list of schedules",
        );
      };
      // A moved clock may cut the socket, and Slack delivers no command twice: the person types it again.
      const found = await listed().catch(listed);
      return slackText(found as unknown as MessageRecord);
    },
  };
}
