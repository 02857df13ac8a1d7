import { readFile } from "node:fs/promises";
import type { App, Receiver } from "@slack/bolt";
import type { ChatIntake } from "../../../../../src/app/chat/chat-intake.ts";
import { ActionTokens } from "../../../../../src/platforms/slack/channel/action-tokens.ts";
import type { PersonDirectory } from "../../../../../src/platforms/slack/channel/person-directory.ts";
import { ReplyAddresses } from "../../../../../src/platforms/slack/channel/reply-addresses.ts";
import { ThreadTitles } from "../../../../../src/platforms/slack/channel/thread-titles.ts";
import type { Workspaces } from "../../../../../src/platforms/slack/connection/workspaces.ts";
import { StoreFirst } from "../../../../../src/platforms/slack/create-bolt-app.ts";
import type { Home } from "../../../../../src/platforms/slack/incoming/home.ts";
import { listenToEvents } from "../../../../../src/platforms/slack/incoming/listen-events.ts";
import { createMemoryKeyValue } from "../../../../../src/storage/memory-key-value.ts";
import { createFakeClock } from "../../../../support/fakes/fake-clock.ts";

/** What an intake was given, in order. */
interface Handed {
  what: "message" | "edited" | "removed" | "reacted" | "joined" | "left" | "command" | "press";
  given: Record<string, unknown>;
}

export interface RecordedEvents {
  handed: Handed[];
  uninstalled: string[];
  /** Sends a recorded event, and answers whether it was acknowledged. */
  send(name: string): Promise<{ acknowledged: boolean; handedBefore: number }>;
  /** The next calls of the intake fail. */
  fail(times: number): void;
}

const names: Record<string, string> = {
  U0ANNA: "Anna",
  U0BEN: "Ben",
  C0GENERAL: "general",
  S0ONCALL: "oncall",
};

/** Real Bolt with our listeners and an intake that keeps what it gets. */
export async function recordedEvents(): Promise<RecordedEvents> {
  const { App: Bolt } = await import("@slack/bolt");
  const handed: Handed[] = [];
  const uninstalled: string[] = [];
  let failures = 0;
  const take = (what: Handed["what"]) => async (given: unknown) => {
    failures -= 1;
    if (failures >= 0) throw new Error("disk full");
    handed.push({ what, given: given as Record<string, unknown> });
  };
  const intake = {
    message: take("message"),
    edited: take("edited"),
    removed: take("removed"),
    reacted: take("reacted"),
    joined: take("joined"),
    left: take("left"),
    command: take("command"),
    press: take("press"),
  } as unknown as ChatIntake;
  const directory = {
    name: async (_team: string, id: string) => names[id],
    channelName: async (_team: string, id: string) => names[id],
    groupName: async (_team: string, id: string) => names[id],
    learnDirectChannel() {},
  } as unknown as PersonDirectory;

  let processed: App | undefined;
  const receiver: Receiver = {
    init: (app) => {
      processed = app;
    },
    start: async () => undefined,
    stop: async () => undefined,
  };
  const store = createMemoryKeyValue();
  const clock = createFakeClock();
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const storeFirst = new StoreFirst(() => {});
  const bolt = new Bolt({
    receiver: { ...receiver, init: (app) => storeFirst.attach(receiver, app) },
    authorize: async () => ({ teamId: "T0ACME", botToken: "xoxb", botId: "B0KNACK", botUserId: "U0KNACK" }),
    ignoreSelf: false,
    convoStore: false,
  });
  bolt.error(async (error) => {
    throw error;
  });
  listenToEvents(bolt, {
    intake,
    directory,
    workspaces: {} as Workspaces,
    titles: new ThreadTitles(store, clock, logger, async () => {}),
    tokens: new ActionTokens(store, clock, logger),
    addresses: new ReplyAddresses(store, clock, logger),
    home: { show: async () => {} } as unknown as Home,
    clock,
    uninstalled: async (team) => void uninstalled.push(team),
  });
  return {
    handed,
    uninstalled,
    fail: (times) => {
      failures = times;
    },
    async send(name) {
      const file = new URL(`../../../../fixtures/slack/${name}.json`, import.meta.url);
      const body = JSON.parse(await readFile(file, "utf8")) as Record<string, unknown>;
      let handedBefore = -1;
      const ack = async () => {
        handedBefore = handed.length;
      };
      await processed?.processEvent({ body, ack }).catch(() => {});
      return { acknowledged: handedBefore >= 0, handedBefore };
    },
  };
}
