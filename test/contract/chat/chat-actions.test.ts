import { readReference, referenceOf } from "../../../src/platforms/discord/channel/discord-place.ts";
import { exampleGuild, room, startChatRig } from "../../support/discord/chat-rig.ts";
import { ids } from "../../support/discord/example-world.ts";
import { acme, startSlackWorld } from "../../support/slack/world/slack-world.ts";
import { type ChatActionsUnderContract, describeChatActions } from "./chat-actions-contract.ts";

describeChatActions("Slack", async (): Promise<ChatActionsUnderContract> => {
  const { slack, platform } = await startSlackWorld();
  const channelOf = (namespace: string) => namespace.split(":")[2] ?? "";
  return {
    actions: platform.actions,
    rooms: {
      open: acme("C0GENERAL"),
      closed: acme("C0PRIVATE"),
      archived: acme("C0OLD"),
      absent: acme("C0HIDDEN"),
      foreign: "slack:T0GLOBEX:C1GENERAL",
      direct: acme("dm-U0ANNA"),
    },
    people: { member: "U0ANNA", other: "U0BEN", guest: "U0GUS" },
    names: { member: "anna", group: "oncall" },
    async say(namespace, user, text, { thread, ago } = {}) {
      const { ts } = await slack.say({
        ...{ user, channel: channelOf(namespace), text },
        ...(thread === undefined ? {} : { thread_ts: thread }),
        ...(ago === undefined ? {} : { ago_ms: ago }),
      });
      return ts;
    },
    async sayInParts(namespace, user, { title, detail, label }, { forward } = {}) {
      const blocks = [
        { type: "header", text: { type: "plain_text", text: title } },
        { type: "section", fields: [{ type: "mrkdwn", text: detail }] },
        { type: "actions", elements: [{ type: "button", text: { type: "plain_text", text: label } }] },
      ];
      const shared = { is_share: true, text: "", fallback: "[no preview available]" };
      const parts = forward
        ? { attachments: [{ ...shared, message_blocks: [{ message: { blocks } }] }] }
        : { blocks, app: { bot_id: "B0ALERTS" } };
      const { ts } = await slack.say({ user, channel: channelOf(namespace), text: "", ...parts });
      return ts;
    },
    async state(namespace, reference) {
      const message = (await slack.look()).messages(channelOf(namespace)).find(({ ts }) => ts === reference);
      return { reactions: message?.reactions.length ?? 0, pinned: message?.pinned ?? false };
    },
    close: () => slack.close(),
  };
});

describeChatActions("Discord", async (): Promise<ChatActionsUnderContract> => {
  const extra = { closed: "1000000000000000130", board: "1000000000000000131", guest: "1000000000000000290" };
  const world = exampleGuild((guild) => ({
    roles: [...(guild.roles ?? []), { id: extra.board, name: "board" }],
    botRoles: [...(guild.botRoles ?? []), extra.board],
    members: guild.members.map((member) =>
      member.user === ids.adam ? { ...member, roles: [extra.board] } : member,
    ),
    channels: [
      ...guild.channels,
      {
        id: extra.closed,
        name: "board",
        overwrites: [
          { id: ids.guild, kind: "role", deny: ["ViewChannel"] },
          { id: extra.board, kind: "role", allow: ["ViewChannel"] },
        ],
      },
    ],
  }));
  const users = [...world.users, { id: extra.guest, name: "gus" }];
  const { discord, actions, close } = await startChatRig({ ...world, users });
  const channelOf = (namespace: string) => namespace.split(":")[2] ?? "";
  return {
    actions,
    rooms: {
      open: room(ids.general),
      closed: room(extra.closed),
      archived: room(ids.readOnly),
      absent: room(ids.hidden),
      foreign: "discord:1000000000000000900:1000000000000000910",
      direct: `discord:dm:dm-${ids.adam}`,
    },
    people: { member: ids.adam, other: ids.mia, guest: extra.guest },
    names: { member: "adam", group: "oncall" },
    async say(namespace, user, content, { thread, ago } = {}) {
      const root = thread === undefined ? undefined : readReference(thread).message;
      const begun = (await discord.threads(ids.general)).some(({ id }) => id === root);
      if (root !== undefined && !begun)
        await discord.startThread({ user, channel: ids.general, name: "talk", message: root });
      const channel = root ?? channelOf(namespace);
      const id = await discord.say({ user, channel, content, ...(ago === undefined ? {} : { agoMs: ago }) });
      return referenceOf(channel, id);
    },
    async sayInParts(namespace, user, { title, detail, label }, { forward } = {}) {
      const row = { type: 1, components: [{ type: 2, style: 1, custom_id: "retry", label }] };
      const texts = [title, detail].map((content) => ({ type: 10, content }));
      const said = { content: "", embeds: [], components: [{ type: 17, components: [...texts, row] }] };
      const parts = forward ? { message_snapshots: [{ message: { ...said, attachments: [] } }] } : said;
      const channel = channelOf(namespace);
      return referenceOf(channel, await discord.say({ user, channel, content: "", parts }));
    },
    async state(_namespace, reference) {
      const { messages } = await discord.state();
      const found = messages.find(({ id }) => id === readReference(reference).message);
      return { reactions: Object.keys(found?.reactions ?? {}).length, pinned: found?.pinned ?? false };
    },
    close,
  };
});
