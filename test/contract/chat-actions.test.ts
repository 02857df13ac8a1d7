import { createChatActions } from "../../src/platforms/slack/chat-actions.ts";
import { createPersonDirectory } from "../../src/platforms/slack/person-directory.ts";
import { createSingleWorkspace, createWorkspaces } from "../../src/platforms/slack/workspaces.ts";
import { systemClock } from "../../src/wiring/system-clock.ts";
import { webClient } from "../support/slack/bolt-rig.ts";
import { startSlackServer } from "../support/slack/slack-server.ts";
import { type ChatActionsUnderContract, describeChatActions } from "./chat-actions-contract.ts";

describeChatActions("Slack", async (): Promise<ChatActionsUnderContract> => {
  const slack = await startSlackServer();
  const client = async () => webClient(slack);
  const { credentials } = createSingleWorkspace("xoxb-T0ACME-first", client);
  const workspaces = createWorkspaces({ credentials, direct_messages: "auto", client, clock: systemClock });
  const directory = createPersonDirectory(workspaces, [], systemClock);
  const room = (channel: string) => `slack:T0ACME:${channel}`;
  const channelOf = (namespace: string) => namespace.split(":")[2] ?? "";
  return {
    actions: createChatActions({ workspaces, directory }, systemClock),
    rooms: {
      open: room("C0GENERAL"),
      closed: room("C0PRIVATE"),
      archived: room("C0OLD"),
      absent: room("C0HIDDEN"),
      foreign: "slack:T0GLOBEX:C1GENERAL",
      direct: room("dm-U0ANNA"),
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
    async state(namespace, reference) {
      const message = (await slack.look()).messages(channelOf(namespace)).find(({ ts }) => ts === reference);
      return { reactions: message?.reactions.length ?? 0, pinned: message?.pinned ?? false };
    },
    close: () => slack.close(),
  };
});
