import type { DiscordOptions } from "../../support/discord/discord-options.ts";
import type { DiscordServer } from "../../support/discord/discord-server.ts";
import { exampleToken } from "../../support/discord/example-world.ts";
import type { ObservedMessage, ObservedState } from "../../support/discord/observed-state.ts";
import { ordinaryPermissions } from "../../support/discord/world/permission-bits.ts";
import { buttonsOf } from "../../support/surfaces/discord-chat.ts";
import type { Posted, Stage, Talk } from "./stage.ts";

const bot = "1000000000000000001";
const guild = "1000000000000000500";
const oncall = "1000000000000000520";
const pinners = "1000000000000000521";
const people: Record<string, string> = {
  ann: "1000000000000000501",
  ben: "1000000000000000502",
  cleo: "1000000000000000503",
  tom: "1000000000000000504",
  dora: "1000000000000000505",
};
const channels: Record<string, string> = {
  general: "1000000000000000510",
  random: "1000000000000000511",
  board: "1000000000000000512",
};

/** Ann's server: #general and #random for all, #board for Ann and Ben. */
export function colleagueDiscord(): DiscordOptions {
  const seesBoard = [people.ann ?? "", people.ben ?? "", bot];
  const { general = "", random = "", board = "" } = channels;
  return {
    application: { id: bot, name: "Knack", token: exampleToken, privileged: ["message_content"] },
    users: Object.entries(people).map(([name, id]) => ({ id, name })),
    guilds: [
      {
        id: guild,
        name: "Acme",
        owner: people.tom ?? "",
        everyone: [...ordinaryPermissions, "PinMessages"],
        roles: [
          { id: oncall, name: "oncall", mentionable: true },
          { id: pinners, name: "pinners", permissions: ["PinMessages"] },
        ],
        botRoles: [pinners],
        members: Object.entries(people).map(([name, user]) => ({
          user,
          roles: name === "ben" ? [oncall] : [],
        })),
        channels: [
          { id: general, name: "general" },
          { id: random, name: "random" },
          {
            id: board,
            name: "board",
            overwrites: [
              { id: guild, kind: "role", deny: ["ViewChannel"] },
              ...seesBoard.map((id) => ({ id, kind: "member", allow: ["ViewChannel"] }) as const),
            ],
          },
        ],
      },
    ],
  };
}

const idOf = (name: string) => people[name] ?? name;
const nameOf = (id: string) =>
  id === oncall ? "oncall" : (Object.entries(people).find(([, each]) => each === id)?.[0] ?? id);

/** What people write becomes Discord's own mentions. */
function written(text: string): string {
  return text
    .replace(/@oncall\b/g, `<@&${oncall}>`)
    .replace(/@(ann|ben|cleo|tom|dora)\b/g, (_whole, name: string) => `<@${idOf(name)}>`);
}

/** Names of the reactions that are asked for. */
const emojiNames: Record<string, string> = { "👍": "thumbsup" };

export async function discordStage(discord: DiscordServer): Promise<Stage> {
  const direct = new Map<string, string>();
  for (const [name, user] of Object.entries(people)) direct.set(name, await discord.openDm(user));
  const general = channels.general ?? "";
  const said = new Set<string>();
  const own = (state: ObservedState) => state.messages.filter(({ author }) => author === bot);
  const postedIn = (state: ObservedState, message: ObservedMessage): Posted => {
    const { channel, mentions } = message;
    const at = state.threads.find(({ id }) => id === channel)?.parent ?? channel;
    const [room] = Object.entries(channels).find(([, id]) => id === at) ?? [];
    const [person] = [...direct].find(([, id]) => id === at) ?? [];
    const only = message.ephemeralFor === null ? person : nameOf(message.ephemeralFor);
    return {
      text: message.content,
      where: room ?? `dm:${person}`,
      top: at === channel,
      only,
      calls: [...mentions.users, ...mentions.roles].map(nameOf),
      buttons: buttonsOf(message).map(({ label }) => label),
      files: message.attachments.map(({ filename }) => filename),
    };
  };
  const command = (text: string) =>
    discord.command({
      user: idOf("ann"),
      channel: general,
      name: "knack",
      options: { command: `agent schedule ${text}` },
    });

  return {
    name: "discord",
    async prepare(earlier) {
      for (const { by, text, hours, channel = "general" } of earlier) {
        if (said.has(text)) continue;
        said.add(text);
        const where = { user: idOf(by), channel: channels[channel] ?? "" };
        await discord.say({ ...where, content: written(text), agoMs: hours * 3_600_000 });
      }
    },
    async say({ say, who = "ann", direct: isDirect, answered, voice }) {
      const room = isDirect === true ? (direct.get(who) ?? "") : general;
      const mention = isDirect === true ? "" : `<@${bot}> `;
      let thread: string | undefined;
      const write = async (text: string, attachments: Parameters<DiscordServer["say"]>[0]["attachments"]) => {
        const content = mention + written(text);
        const given = { user: idOf(who), channel: thread ?? room, content };
        const id = await discord.say({ ...given, ...(attachments && { attachments }) });
        if (isDirect !== true) thread ??= id;
      };
      if (answered !== undefined) {
        await write(`say: ${answered}`, undefined);
        await discord.until((state) => own(state).find(({ content }) => content.includes(answered)));
      }
      const before = new Set(own(await discord.state()).map(({ id }) => id));
      const clip = { name: "voice-message.ogg", contentType: "audio/ogg", content: `voice:${voice}` };
      await write(say, voice === undefined ? undefined : [clip]);
      return talkOf(before, idOf(who));
    },
    async everything() {
      return own(await discord.state())
        .map(({ content }) => content)
        .join("\n");
    },
    async marks() {
      const { messages } = await discord.state();
      const reactions = messages.flatMap(({ content, reactions }) =>
        Object.entries(reactions)
          .filter(([emoji, users]) => users.includes(bot) && emoji !== "👀")
          .map(([emoji]) => ({ to: content, emoji: emojiNames[emoji] ?? emoji })),
      );
      return { pinned: messages.filter(({ pinned }) => pinned).map(({ content }) => content), reactions };
    },
    async happen(what, text) {
      const message = await discord.say({ user: idOf("ben"), channel: general, content: text });
      if (what === "reaction") await discord.react({ user: idOf("ann"), message, emoji: "👀" });
    },
    async wake() {
      await command("add in P20D stretch");
    },
    async planned() {
      const list = await command("list");
      return (await list.answer()).content;
    },
  };

  function talkOf(before: ReadonlySet<string>, user: string): Talk {
    return {
      async posted() {
        const state = await discord.state();
        const since = own(state).filter(({ id, interaction }) => !before.has(id) && interaction === null);
        return since.map((message) => postedIn(state, message));
      },
      async press(label) {
        const found = own(await discord.state())
          .flatMap((message) => buttonsOf(message).map((button) => ({ ...button, message: message.id })))
          .findLast((button) => button.label === label);
        if (found === undefined) throw new Error(`Discord shows no button “${label}”.`);
        await discord.click({ user, message: found.message, customId: found.custom_id });
      },
    };
  }
}
