import { cp } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { TurnEvent } from "../../../src/core/log/turn-event.ts";
import { type BotHome, type BotProcess, createBotHome } from "../../support/bot/bot-process.ts";
import { type PlatformModel, startPlatformModel } from "../../support/bot/platform-model.ts";
import { type Gate, startGate } from "./gate.ts";
import { ended, expectWholeTurn, stored } from "./turns.ts";

/** Where everything is said that needs no place of its own. */
export const place = { namespace: "console:local:general", thread: "t1" };

/** Skills of AnythingLLM as people write them. */
export const importedSkills = fileURLToPath(new URL("../../fixtures/imported", import.meta.url));

/** A call of a tool by the model. */
interface Call {
  call: string;
  with: unknown;
}

/** A bot in a process of its own, a model whose calls a test names, and a web site. */
export interface EveryKindBot {
  home: BotHome;
  model: PlatformModel;
  /** Answers every path with `{"path", "seen"}`: what was asked, and how often until now. */
  site: Gate;
  /** Host and port of the site, as an operator grants it. */
  siteHost: string;
  /** Copies a folder or file into the workspace. */
  copy(from: string, to: string): Promise<void>;
  /** Says this while the model makes these calls in order, one a round, and then says `done` with the last result. */
  submit(bot: BotProcess, text: string, calls: readonly Call[], thread?: string): Promise<string>;
  /** The same, and everything that is stored of the turn when it is over. Who asks confirms what they are asked to. */
  say(bot: BotProcess, text: string, calls: readonly Call[]): Promise<Said>;
  /** The end of a turn, whole. */
  over(bot: BotProcess, turnId: string): Promise<Said>;
  /** Names of the tools the model was offered when it was last asked this. */
  offered(text: string): string[];
}

interface WireRequest {
  tools?: { function: { name: string } }[];
}

interface Said {
  /** The answer. */
  text: string;
  events: TurnEvent[];
}

/**
 * Sets up a bot's surroundings for each test of the surrounding block, or once for all of them, and takes them down.
 * @param shared whether the tests share them
 */
export function useEveryKind({ config = "", shared = false } = {}): () => EveryKindBot {
  let fixture: EveryKindBot | undefined;
  const [before, after] = shared ? [beforeAll, afterAll] : [beforeEach, afterEach];
  before(async () => {
    const [model, site] = await Promise.all([startPlatformModel(), startSite()]);
    const env = {
      ...{ KNACK_MODEL: "openai/test", OPENAI_API_KEY: "test", OPENAI_BASE_URL: model.url },
      KNACK_NET_ALLOW: "127.0.0.1,127.0.0.2",
    };
    fixture = everyKind({ model, site, home: await createBotHome({ env, config }) });
  });
  after(async () => {
    await fixture?.home.remove();
    await fixture?.model.stop();
    await fixture?.site[Symbol.asyncDispose]();
  });
  return () => {
    if (fixture === undefined) throw new Error("The bot's surroundings are not there.");
    return fixture;
  };
}

function everyKind({ home, model, site }: Pick<EveryKindBot, "home" | "model" | "site">): EveryKindBot {
  const fixture: EveryKindBot = {
    ...{ home, model, site, siteHost: new URL(site.url).host },
    copy: (from, to) => cp(from, join(home.folder, ".knack-workspace", to), { recursive: true }),
    async submit({ client }, text, calls, thread = place.thread) {
      model.when(text, ({ results }) => [calls[results.length] ?? `done: ${results.at(-1)}`]);
      return (await client.submitTurn({ ...place, thread, text })).turn_id;
    },
    async say(bot, text, calls) {
      const turnId = await fixture.submit(bot, text, calls);
      for await (const event of bot.client.turnEvents(turnId)) {
        if (event.type === "approval_requested" && event.approver === "asker")
          (await bot.client.call("approval.decide", { id: event.approval_id, approve: true })).decided;
      }
      return fixture.over(bot, turnId);
    },
    async over({ client }, turnId) {
      const { text } = await ended(client, turnId);
      const events = await stored(client, turnId);
      expectWholeTurn(events);
      return { text, events };
    },
    offered(text) {
      const { tools = [] } = JSON.parse(model.askedOf(text).at(-1)?.body ?? "{}") as WireRequest;
      return tools.map(({ function: { name } }) => name);
    },
  };
  return fixture;
}

function startSite(): Promise<Gate> {
  const seen = new Map<string, number>();
  return startGate(({ path }, response) => {
    seen.set(path, (seen.get(path) ?? 0) + 1);
    response.writeHead(200, { "content-type": "application/json" });
    const current_weather = { temperature: 21, windspeed: 5 };
    response.end(JSON.stringify({ path, seen: seen.get(path), current_weather }));
  }, "127.0.0.2");
}
