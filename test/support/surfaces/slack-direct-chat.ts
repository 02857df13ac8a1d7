import type { SlackServer } from "../slack/slack-server.ts";
import type { Capabilities, ChatSurface } from "./chat-surface.ts";
import { openThread, slackCan, slackParts } from "./slack-chat.ts";

/** Operators of the bot, who each write to it directly. */
const people = {
  home: { user: "U0ANNA", channel: "D0ANNA" },
  elsewhere: { user: "U0OTTO", channel: "D0OTTO" },
};

/** The features of this surface. */
export const slackDirectCan: Capabilities = { ...slackCan, severalPeople: false, whispers: false };

/** The features of direct messages with one conversation per person. */
export const slackOneCan: Capabilities = { ...slackDirectCan, severalConversations: false };

/**
 * Direct messages in Slack, of Anna and Otto.
 * @param flat each has one conversation without threads; else each thread is one, as Slack shows them with an agent
 */
export async function slackDirectChat(slack: SlackServer, flat: boolean): Promise<ChatSurface> {
  const { user, channel: id } = people.elsewhere;
  const names = { name: "otto", real_name: "Otto Opel", display_name: "otto" };
  await slack.addUser({ id: user, team_id: "T0ACME", tz: "Europe/Amsterdam", ...names });
  await slack.addChannel({
    id,
    team_id: "T0ACME",
    name: "",
    kind: "im",
    creator: user,
    members: [user, "U0KNACK"],
  });
  return {
    async open(where = "home") {
      const { user: asker, channel } = people[where];
      return openThread(slack, { channel, users: { asker, manager: asker }, mention: "", flat });
    },
    everything: () => slackParts(slack, ({ channel }) => channel.startsWith("D")),
    sent: async () => JSON.stringify((await slack.look()).all),
    close: async () => undefined,
  };
}
