import type { ChatPlatform } from "../../../../src/core/ports/chat-platform.ts";
import type { Clock } from "../../../../src/core/ports/storage.ts";
import { createActionTokens } from "../../../../src/platforms/slack/channel/action-tokens.ts";
import { createPersonDirectory } from "../../../../src/platforms/slack/channel/person-directory.ts";
import { createReplyAddresses } from "../../../../src/platforms/slack/channel/reply-addresses.ts";
import {
  createSingleWorkspace,
  createWorkspaces,
} from "../../../../src/platforms/slack/connection/workspaces.ts";
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
  const { credentials } = createSingleWorkspace("xoxb-T0ACME-first", client);
  const workspaces = createWorkspaces({ credentials, direct_messages: "auto", client, clock });
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const platform = createSlackPlatform({
    settings: { streaming: "auto", api_url: slack.apiUrl },
    workspaces,
    directory: createPersonDirectory(workspaces, operators, clock),
    addresses: createReplyAddresses({ sealed: createMemoryKeyValue(), clock, logger }),
    tokens: createActionTokens({ sealed: createMemoryKeyValue(), clock, logger }),
    clock,
    logger,
  });
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
