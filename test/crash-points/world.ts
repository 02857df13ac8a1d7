import type { ChatIntake, ChatMessage } from "../../src/app/chat/chat-intake.ts";
import type { TurnEvent } from "../../src/core/log/turn-event.ts";
import type { Clock } from "../../src/core/ports/storage.ts";
import { NetworkGrants } from "../../src/core/skill/network-grants.ts";
import type { Skill, SkillSource } from "../../src/core/skill/skill.ts";
import { createFakeClock, type FakeClock } from "../support/fakes/fake-clock.ts";
import { createFakePlatform, type FakePlatform } from "../support/fakes/fake-platform.ts";
import { noFolders } from "../support/fakes/no-folders.ts";
import type { RecordingModel } from "../support/models/recording-model.ts";
import { pendingTurns } from "../support/pending-turns.ts";
import { testSource } from "../support/skills/test-skill.ts";
import { createTestApp } from "../support/test-app.ts";
import { createLife, type Death, type Life, mortalClock } from "./life.ts";
import { mortalModel, mortalPlatform, mortalStores } from "./mortal-ports.ts";
import { grantedHost, profiles, said, turnModel, turnSkills } from "./scripted-turn.ts";
import type { EmptyStorage, Storage, Stores } from "./stores.ts";

const place = { namespace: "fake:team:general", thread: "t1" };

/** All that is outside of the bot's process, and outlives it. */
export interface World {
  clock: FakeClock;
  storage: Storage;
  /** The stores as nobody has them who dies. */
  stores: Stores;
  platform: FakePlatform;
  model: RecordingModel;
  /** What the code of tools did, in order. */
  done: string[];
  /** Keys of messages that the bot has acknowledged. */
  taken: Set<string>;
  /** Errors that nobody expects, of all lives. */
  errors: unknown[];
  /** Processes so far. */
  lives: number;
}

/** @param empty makes its storage; worlds that it made storage for before are gone */
export async function createWorld(streams: boolean, empty: EmptyStorage): Promise<World> {
  const clock = createFakeClock(1_800_000_000_000);
  const platform = createFakePlatform({ now: clock.now, streams, message_characters: 500 });
  platform.people.set("ada", { trust: "operator" });
  const storage = await empty(clock);
  return {
    clock,
    storage,
    stores: storage.open("people"),
    platform,
    model: turnModel(),
    done: [],
    taken: new Set(),
    errors: [],
    lives: 0,
  };
}

/** Fake ms between two looks at the world, and after how many of them a life that has not ended is given up. */
const stepMs = 100;
const maxSteps = 3_000;

/** Steps that a bot lives on when all is done, to show what it still does. */
const lastSteps = 15;

/** How long others wait for a process that died, fake ms. */
const leaseMs = 6_000;

/**
 * One process of the bot, from its start until its turns have ended or it dies. People deliver what was not acknowledged, and press the
 * buttons they see. Time passes only while nothing is under way.
 */
export async function live(world: World, death?: Death): Promise<Life> {
  const life = createLife(death);
  world.lives += 1;
  const owner = `process-${world.lives}`;
  const stores = world.storage.open(owner);
  try {
    await stores.log.reclaim();
    const app = startBot(world, life, { owner, stores });
    const people = createPeople(world, life, app.chat.connect(mortalPlatform(life, world.platform)));
    await liveOn(world, life, people).finally(async () => {
      if (!life.isOver()) await app.stop(0);
      // What a process does at its death still happens, and the next one begins after it.
      await life.idle();
    });
    world.errors.push(...app.errors);
  } finally {
    await stores.close();
  }
  return life;
}

async function liveOn(
  { clock, storage, stores, taken }: World,
  life: Life,
  people: () => void,
): Promise<void> {
  const settled = createSettled(life, storage);
  let left = lastSteps;
  for (let step = 0; !life.isOver() && left > 0; step += 1) {
    if (step > maxSteps) throw new Error(`The turn did not end: ${await unfinished(stores, taken, life)}`);
    people();
    clock.advance(stepMs);
    await settled();
    if (taken.size === 3 && (await pendingTurns(stores.log)) === 0) left -= 1;
  }
}

/** Where a life stands that does not end: what people said, each turn with its last events, and what the process did last but look for work. */
async function unfinished({ log }: Stores, taken: ReadonlySet<string>, { points }: Life): Promise<string> {
  const turns = await log.list({ namespace: place.namespace });
  const ends = turns.map(async ({ turn_id, status }) => {
    const events = await log.read(turn_id);
    return `${turn_id} is ${status} after ${events.slice(-4).map(({ type }) => type)}`;
  });
  const did = points.filter((point) => point !== "log.claim").slice(-8);
  return `${taken.size} messages were taken; ${(await Promise.all(ends)).join("; ")}; it did ${did}`;
}

/** Resolves when the process has done all that it can do at this time, and has heard of it. */
function createSettled(life: Life, { heard }: Storage): () => Promise<void> {
  let done = 0;
  return async () => {
    await life.idle();
    while (done < life.done()) {
      done = life.done();
      await heard();
      await life.idle();
    }
  };
}

function startBot(world: World, life: Life, { owner, stores }: { owner: string; stores: Stores }) {
  const { done, model } = world;
  const { fair, outside } = turnSkills(life, done);
  const clock = mortalClock(life, world.clock);
  // The answer comes word by word, so that some of it is shown before it is whole.
  const pause = (text: string) => (text.startsWith("one") ? clock.sleep(800) : Promise.resolve());
  return createTestApp(mortalModel(life, model, pause), {
    owner,
    lease_ms: leaseMs,
    ...mortalStores(life, stores),
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
  const { platform, stores, taken, done, clock } = world;
  const { outside } = turnSkills(life, done);
  const grants = new NetworkGrants(stores.store, () => [], clock);
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
    // What is said while a question is open would answer it.
    if (!taken.has(said.more)) return;
    for (const { reference, message } of platform.visible()) {
      if (message.buttons?.some(({ id }) => id.startsWith("good:"))) deliver(said.after);
      const button = message.buttons?.find(({ id }) => /^(approve|answer):/.test(id))?.id;
      if (button === undefined) continue;
      once(button, async () => {
        if (message.markdown.includes(grantedHost)) {
          await life.look(() => grants.grant(outside, [grantedHost], "ada"));
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
export async function eventsOf({ stores: { log } }: World): Promise<TurnEvent[][]> {
  const turns = await log.list({ namespace: place.namespace });
  return Promise.all(turns.toReversed().map(({ turn_id }) => log.read(turn_id)));
}
