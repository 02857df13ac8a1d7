import type { ChatPlatform } from "../../../../src/core/ports/chat-platform.ts";
import type { Clock } from "../../../../src/core/ports/storage.ts";
import { ActionTokens } from "../../../../src/platforms/slack/channel/action-tokens.ts";
import { PersonDirectory } from "../../../../src/platforms/slack/channel/person-directory.ts";
import { ReplyAddresses } from "../../../../src/platforms/slack/channel/reply-addresses.ts";
import { SingleWorkspace, Workspaces } from "../../../../src/platforms/slack/connection/workspaces.ts";
import { createSlackPlatform } from "../../../../src/platforms/slack/outgoing/create-slack-platform.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { systemClock } from "../../../../src/wiring/system-clock.ts";
import { webClient } from "../bolt-rig.ts";
import { type SlackServer, startSlackServer } from "../slack-server.ts";
import type { SlackOptions } from "../slack-service.ts";

/** The platform in Acme on a fake Slack, without a line for events. */
export interface SlackWorld {
  slack: SlackServer;
  platform: ChatPlatform & Required<Pick<ChatPlatform, "actions" | "deciders" | "openStream">>;
  /** Advances the bot's clock, ms. */
  later(ms: number): void;
}

export async function startSlackWorld(
  options: SlackOptions & { operators?: readonly string[] } = {},
): Promise<SlackWorld> {
  const { operators = [], ...more } = options;
  const slack = await startSlackServer(more);
  const client = async () => webClient(slack);
  let passed = 0;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + passed };
  const acme = new SingleWorkspace("xoxb-T0ACME-first", client);
  const workspaces = new Workspaces((team) => acme.credentials(team), "auto", client, clock);
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const directory = new PersonDirectory(workspaces, operators, clock);
  const tokens = new ActionTokens(createMemoryKeyValue(), clock, logger);
  const platform = createSlackPlatform(
    { workspaces, directory, tokens, clock, logger },
    new ReplyAddresses(createMemoryKeyValue(), clock, logger),
    { streaming: "auto", api_url: slack.apiUrl },
  );
  return {
    slack,
    platform: platform as SlackWorld["platform"],
    later(ms) {
      passed += ms;
    },
  };
}

/** The namespace of a channel of Acme. */
export const acme = (channel: string): string => `slack:T0ACME:${channel}`;
