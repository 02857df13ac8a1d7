import { createScheduleService, type ScheduleService } from "../../../src/app/schedules/create-schedules.ts";
import type { Submission, Submit } from "../../../src/app/turns/submit.ts";
import type { TurnRecord } from "../../../src/core/log/turn-log.ts";
import { createChatPlatforms } from "../../../src/core/ports/chat-platform.ts";
import type { DueEntries, ScheduleLimits, Wish } from "../../../src/core/ports/schedules.ts";
import type { Author } from "../../../src/core/values/inbound.ts";
import { createRedactor } from "../../../src/core/values/redact.ts";
import { createKeyValueLeases } from "../../../src/storage/key-value-leases.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../src/storage/memory-turn-log.ts";
import { createFakeClock } from "../fakes/fake-clock.ts";
import { createFakePlatform } from "../fakes/fake-platform.ts";
import { temporaryFolders } from "../temporary-folders.ts";
import { scheduleLimits } from "./schedule-limits.ts";

/** A Wednesday, 11:00 in Berlin. */
export const wednesday = Date.parse("2026-11-25T10:00:00Z");
export const hour = 3_600_000;
export const minute = 60_000;

export const ann: Author = { id: "ann", name: "Ann", trust: "member", time_zone: "Europe/Berlin" };
export const channel = { namespace: "fake:T1:general", thread: "100.1" };

/** State that outlives the bot: the store, the channel, and the accepted turns, each once under its key. */
export function createScheduleWorld(
  options: { own?: Partial<ScheduleLimits>; platform?: boolean; spent?: string } = {},
) {
  const clock = createFakeClock(wednesday);
  const due = createMemoryTurnLog(clock).due;
  const store = createMemoryKeyValue();
  const sealed = createMemoryKeyValue();
  const platform = createFakePlatform({ now: clock.now });
  platform.people.set("ann", { name: "Ann", time_zone: "Europe/Berlin" });
  const taken = new Map<string, Submission>();
  /** Turns that have not ended, by id. */
  const open = new Set<string>();
  /** Answers of turns that have ended and are not deleted, by id. */
  const answers = new Map<string, string>();
  /** Definitions of the tools there are, by name. */
  const tools = new Map<string, string>();
  const errors: unknown[] = [];

  const submit: Submit = async (submission) => {
    const { key = "" } = submission;
    const accepted = !taken.has(key);
    if (accepted) taken.set(key, submission);
    return { ok: true, value: { turn_id: key, accepted } };
  };

  /** A bot in this world. It runs due entries with `run`, and crashes if a given function throws. */
  const start = (given: { due?: DueEntries; submit?: Submit } = {}) => {
    const platforms = createChatPlatforms();
    if (options.platform !== false) platforms.add(platform);
    let looked = Promise.withResolvers<void>();
    let failed = false;
    const entries = given.due ?? due;
    const watched: DueEntries = {
      ...entries,
      async next() {
        const next = await entries.next();
        if (next === undefined || next > clock.now()) looked.resolve();
        return next;
      },
    };
    const quiet = () => {};
    const service: ScheduleService = createScheduleService({
      due: watched,
      log: {
        async get(id) {
          if (open.has(id)) return { turn_id: id, status: "running" } as TurnRecord;
          const answer = answers.get(id);
          if (answer === undefined) return undefined;
          return { turn_id: id, status: "finished", outcome: "completed", answer } as TurnRecord;
        },
        list: async () => [],
        read: async () => [],
      },
      store,
      leases: createKeyValueLeases(store, "world"),
      sealed,
      platforms,
      submit: given.submit ?? submit,
      clock,
      logger: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      limits: { ...scheduleLimits, ...options.own },
      time_zone: "UTC",
      public_url: "https://knack.example.com",
      folders: temporaryFolders(),
      redact: createRedactor([]),
      overBudget: async () => options.spent,
      stop: async () => undefined,
      report: (error) => {
        errors.push(error);
        failed = true;
        looked.resolve();
      },
      refusalOf: ({ standing }) => (standing === "bot" ? "I do not answer bots." : undefined),
      ...toolsOf(tools),
    });
    return {
      service,
      /** Lets time pass and everything run that comes due by then, or until something fails unexpectedly. */
      async pass(ms: number) {
        looked = Promise.withResolvers();
        service.clockwork.start();
        await looked.promise;
        const until = clock.now() + ms;
        while (clock.now() < until && !failed) {
          const next = Math.min(until, (await due.next()) ?? until);
          looked = Promise.withResolvers();
          clock.advance(Math.max(1, next - clock.now()));
          service.clockwork.start();
          await looked.promise;
        }
      },
      async make(wish: Wish, { key = "k1", author = ann, place = channel } = {}) {
        const planner = { author, place };
        const plan = await service.plan(planner, wish);
        if (!plan.ok) throw new Error(plan.message);
        const added = await service.add(planner, plan.value, key);
        if (!added.ok) throw new Error(added.message);
        return added.value;
      },
    };
  };
  return { clock, due, store, sealed, platform, taken, open, answers, tools, errors, submit, start };
}

/** A catalogue of one skill with these tools. */
function toolsOf(tools: ReadonlyMap<string, string>) {
  const offer = () => ({
    all: new Map(),
    tools: () =>
      new Map(
        [...tools].map(([name, definition]) => [
          name,
          { tool: { name, skill_id: "mail", server: { definition } } },
        ]),
      ),
  });
  return {
    catalogue: { current: async () => ({ skills: new Map() }) },
    offers: { read: async () => ({ state: {}, offer: offer() }) },
    metaTools: [{ name: "read_file" }],
  } as never as Pick<Parameters<typeof createScheduleService>[0], "catalogue" | "offers" | "metaTools">;
}
