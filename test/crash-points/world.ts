import type { ChatIntake, ChatMessage } from "../../src/app/chat/chat-intake.ts";
import type { TurnEvent } from "../../src/core/log/turn-event.ts";
import type { TurnLog } from "../../src/core/log/turn-log.ts";
import type { Clock, FileStore, KeyValue } from "../../src/core/ports/storage.ts";
import { createNetworkGrants } from "../../src/core/skill/network-grants.ts";
import type { Skill, SkillSource } from "../../src/core/skill/skill.ts";
import { createMemoryFileStore } from "../../src/storage/memory-file-store.ts";
import { createMemoryKeyValue } from "../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../src/storage/memory-turn-log.ts";
import { createFakeClock, type FakeClock } from "../support/fakes/fake-clock.ts";
import { createFakePlatform, type FakePlatform } from "../support/fakes/fake-platform.ts";
import { noFolders } from "../support/fakes/no-folders.ts";
import type { RecordingModel } from "../support/models/recording-model.ts";
import { pendingTurns } from "../support/pending-turns.ts";
import { testSource } from "../support/skills/test-skill.ts";
import { createTestApp } from "../support/test-app.ts";
import { createLife, type Death, type Life, mortalClock } from "./life.ts";
import { mortalFiles, mortalLog, mortalModel, mortalPlatform, mortalStore } from "./mortal-ports.ts";
import { grantedHost, profiles, said, turnModel, turnSkills } from "./scripted-turn.ts";

const place = { namespace: "fake:team:general", thread: "t1" };

/** All that is outside of the bot's process, and outlives it. */
export interface World {
  clock: FakeClock;
  log: TurnLog;
  store: KeyValue;
  files: FileStore;
  platform: FakePlatform;
  model: RecordingModel;
  /** What the code of tools did, in order. */
  done: string[];
  /** Keys of messages that the bot has acknowledged. */
  taken: Set<string>;
  /** Errors that nobody expects, of all lives. */
  errors: unknown[];
}

export function createWorld(streams: boolean): World {
  const clock = createFakeClock(1_800_000_000_000);
  const platform = createFakePlatform({ now: clock.now, streams, message_characters: 500 });
  platform.people.set("ada", { trust: "operator" });
  return {
    clock,
    log: createMemoryTurnLog(clock),
    store: createMemoryKeyValue(),
    files: createMemoryFileStore(),
    platform,
    model: turnModel(),
    done: [],
    taken: new Set(),
    errors: [],
  };
}

/** Fake ms between two looks at the world, and after how many of them a life that has not ended is given up. */
const stepMs = 100;
const maxSteps = 3_000;

/** Steps that a bot lives on when all is done, to show what it still does. */
const lastSteps = 15;

/**
 * One process of the bot, from its start until its turns have ended or it dies. People deliver what was not acknowledged, and press the
 * buttons they see.
 */
export async function live(world: World, death?: Death): Promise<Life> {
  const life = createLife(death);
  const { clock } = world;
  await world.log.reclaim();
  const app = startBot(world, life);
  const people = createPeople(world, life, app.chat.connect(mortalPlatform(life, world.platform)));
  let left = lastSteps;
  for (let step = 0; !life.isOver() && left > 0; step += 1) {
    if (step > maxSteps) throw new Error(`The turn did not end. The last points: ${life.points.slice(-5)}`);
    people();
    clock.advance(stepMs);
    await new Promise((resolve) => setImmediate(resolve));
    if (world.taken.size === 3 && (await pendingTurns(world.log)) === 0) left -= 1;
  }
  world.errors.push(...app.errors);
  if (!life.isOver()) await app.stop(0);
  return life;
}

function startBot(world: World, life: Life) {
  const { done, model } = world;
  const { fair, outside } = turnSkills(life, done);
  const clock = mortalClock(life, world.clock);
  // The answer comes word by word, so that some of it is shown before it is whole.
  const pause = (text: string) => (text.startsWith("one") ? clock.sleep(800) : Promise.resolve());
  return createTestApp(mortalModel(life, model, pause), {
    log: mortalLog(life, world.log),
    store: mortalStore(life, world.store),
    files: mortalFiles(life, world.files),
    clock,
    folders: noFolders,
    sources: [startingSource(fair, clock), testSource([outside])],
    profiles,
    chat: { progress_delay_ms: 0 },
  });
}

/** A source whose skill is ready a moment after the process has started, as one of a tool server is. */
function startingSource(skill: Skill, clock: Clock): SkillSource {
  const source = testSource([]);
  const ready = clock.sleep(500).then(() => {
    source.skills = [skill];
  });
  source.skills = [{ ...skill, tools: [], problems: ["Its tools are being read."], ready: () => ready }];
  return source;
}

/** What people do at each look: answers what the bot does next to it. A bot that dies leaves them with what they see. */
function createPeople(world: World, life: Life, intake: ChatIntake): () => void {
  const { platform, taken, done, clock } = world;
  const { outside } = turnSkills(life, done);
  const grants = createNetworkGrants(world.store, () => [], clock);
  const tried = new Set<string>();
  const once = (what: string, work: () => Promise<void>) => {
    if (tried.has(what) || life.isOver()) return;
    tried.add(what);
    void work();
  };
  const deliver = (text: string) =>
    once(text, async () => {
      await intake.message(messageOf(text, clock.now()));
      taken.add(text);
      life.changed();
    });
  return () => {
    deliver(said.first);
    if (done.includes("look")) deliver(said.more);
    for (const { reference, message } of platform.visible()) {
      if (message.buttons?.some(({ id }) => id.startsWith("good:"))) deliver(said.after);
      const button = message.buttons?.find(({ id }) => /^(approve|answer):/.test(id))?.id;
      if (button === undefined) continue;
      once(button, async () => {
        if (message.markdown.includes(grantedHost)) {
          await grants.grant(outside, [grantedHost], "ada");
          life.changed();
        }
        await intake.press({ place, id: `press-${button}`, person: "ada", button, reference });
      });
    }
  };
}

function messageOf(text: string, now: number): ChatMessage {
  return {
    key: `${place.namespace}:${text}`,
    place,
    id: text === said.first ? place.thread : text,
    author: "ada",
    by_bot: false,
    text,
    said_at: now,
    addressed: "mention",
    mentions_others: false,
    in_thread: text !== said.first,
    files: [],
  };
}

/** All events of the turns of the world, by turn, the first turn first. */
export async function eventsOf({ log }: World): Promise<TurnEvent[][]> {
  const turns = await log.list({ namespace: place.namespace });
  return Promise.all(turns.toReversed().map(({ turn_id }) => log.read(turn_id)));
}
