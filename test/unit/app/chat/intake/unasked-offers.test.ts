import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../../../../src/app/chat/chat-intake.ts";
import type { TurnLog } from "../../../../../src/core/log/turn-log.ts";
import type { KeyValue } from "../../../../../src/core/ports/storage.ts";
import { updateNamespace } from "../../../../../src/core/skill/namespace-state.ts";
import { createMemoryKeyValue } from "../../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../../src/storage/memory-turn-log.ts";
import { createFakeClock, type FakeClock } from "../../../../support/fakes/fake-clock.ts";
import { createFakePlatform, type FakePlatform } from "../../../../support/fakes/fake-platform.ts";
import {
  type ScriptedModel,
  type ScriptedModelOptions,
  scriptedModel,
} from "../../../../support/models/scripted-model.ts";
import type { TestAppOptions } from "../../../../support/test-app.ts";
import { channel, createIntake, type MessageOptions } from "./fixture.ts";

const day = 86_400_000;
const minute = 60_000;
const question = "How do I undo the last commit?";

const yes = '{"reason": "I can look it up.", "helps": true}';
const no = '{"reason": "", "helps": false}';

interface AmbientOptions extends TestAppOptions {
  judges?: string | Error;
  scripted?: ScriptedModelOptions;
  /** Another process on the same stores. */
  beside?: { platform: FakePlatform; store: KeyValue; log: TurnLog; clock: FakeClock; model: ScriptedModel };
}

/** A channel with the reply mode `ambient`, on a clock that moves when told to. */
async function createAmbient({ judges = yes, scripted, beside, ...options }: AmbientOptions = {}) {
  const clock = beside?.clock ?? createFakeClock(20_000 * day);
  const store = beside?.store ?? createMemoryKeyValue();
  const log = beside?.log ?? createMemoryTurnLog(clock);
  const platform = beside?.platform ?? createFakePlatform();
  const model =
    beside?.model ??
    scriptedModel(({ output_schema }) => (output_schema === undefined ? "Done." : judges), scripted);
  const intake = createIntake({ model, platform, store, log, clock, ...options });
  if (beside === undefined)
    await updateNamespace(store, channel, ({ settings }) => {
      settings.reply = "ambient";
    });
  /** Everything that needs no time. */
  const settle = async () => {
    for (let at = 0; at < 30; at += 1) await nextTurn();
  };
  const wait = async (ms: number) => {
    clock.advance(ms);
    await settle();
  };
  /** Somebody writes, and the platform can read it again. */
  const write = async (text: string, more: MessageOptions = {}): Promise<ChatMessage> => {
    const message = intake.message(text, more);
    const { thread } = message.place;
    const { id, author, by_bot, said_at: at, files } = message;
    const said = { id, author: { id: author, name: author, bot: by_bot, self: false }, text, at, files };
    platform.threads.set(thread, [...(platform.threads.get(thread) ?? []), said]);
    await intake.intake.message(message);
    await settle();
    return message;
  };
  const { press } = intake;
  return {
    ...intake,
    ...{ clock, store, platform, model, settle, wait, write },
    press: async (...given: Parameters<typeof press>) => {
      await press(...given);
      await settle();
    },
    /** A question that nobody answers for a minute. */
    async ask(text = question, more: MessageOptions = {}) {
      const message = await write(text, more);
      await wait(minute);
      return message;
    },
  };
}
type Ambient = Awaited<ReturnType<typeof createAmbient>>;

/** The offers so far, oldest first. */
const offers = (platform: FakePlatform) =>
  platform.shown.filter(({ message }) => message.buttons?.some(({ id }) => id.startsWith("offer-yes:")));

const buttonOf = (platform: FakePlatform, label: string) =>
  platform.shown.flatMap(({ message }) => message.buttons ?? []).findLast((each) => each.label === label)
    ?.id ?? "";

const judgements = ({ requests }: ScriptedModel) =>
  requests.filter(({ output_schema }) => output_schema !== undefined);

describe("a question in a channel that wants offers", () => {
  it("only its writer is asked, after a minute, and yes begins one turn", async () => {
    const { write, wait, asked, platform, model, press, told, events, turnOf } = await createAmbient();
    const message = await write(question);
    await wait(minute - 1);
    expect(model.requests).toEqual([]);
    await wait(1);
    expect(await asked()).toEqual([]);
    const [offer, ...more] = offers(platform);
    expect(more).toEqual([]);
    expect(platform.shown).toEqual([offer]);
    expect(offer).toMatchObject({ only_for: "ada", place: message.place, message: { unasked: true } });
    expect(offer?.message.markdown).toMatch(
      /^Shall I answer this\?[\s\S]*undo the last commit[\s\S]*look it up/,
    );
    expect(offer?.message.buttons?.map(({ label }) => label)).toEqual(["Yes, answer it", "No", "Not for me"]);

    const accept = buttonOf(platform, "Yes, answer it");
    await press(accept, "ben");
    expect(told("ben")).toEqual([expect.stringContaining("closed")]);
    await Promise.all([press(accept, "ada"), press(accept, "ada")]);
    expect(await asked()).toEqual([question]);
    expect((await events(await turnOf(message))).at(-1)).toMatchObject({ outcome: "completed" });
    await press(accept, "ada");
    expect(told("ada").at(-1)).toContain("closed");
  });

  it("no ends it and counts, and so do thirty minutes", async () => {
    const { ask, wait, asked, platform, press, told } = await createAmbient();
    await ask();
    await press(buttonOf(platform, "No"), "ada");
    expect(told("ada").at(-1)).toBe("I stay silent.");
    await ask();
    await wait(30 * minute);
    await press(buttonOf(platform, "Yes, answer it"), "ada");
    expect(told("ada").at(-1)).toContain("closed");
    await ask();
    await ask();
    expect(offers(platform)).toHaveLength(3);
    expect(await asked()).toEqual([]);
  });

  it("somebody to whom it is nothing gets no more offers in any process, until they take it back", async () => {
    const first = await createAmbient();
    const { platform, model } = first;
    await first.ask();
    await first.press(buttonOf(platform, "Not for me"), "ada");
    const other = await createAmbient({ beside: first });
    await other.ask();
    expect(judgements(model)).toHaveLength(1);
    await other.ask(question, { author: "ben" });
    expect(offers(platform).map(({ only_for }) => only_for)).toEqual(["ada", "ben"]);
    await other.press(buttonOf(platform, "Offer again"), "ada");
    await other.ask();
    expect(offers(platform)).toHaveLength(3);
  });

  it("a pause, and an asker who may no longer use the bot, hold for an offer that is open", async () => {
    const { ask, store, asked, platform, press, told } = await createAmbient();
    await ask();
    const accept = buttonOf(platform, "Yes, answer it");
    await updateNamespace(store, channel, ({ settings }) => {
      settings.paused = { by: "cleo", at: 1 };
    });
    await press(accept, "ada");
    expect(told("ada").at(-1)).toContain("paused");
    platform.people.set("ada", { standing: "outsider" });
    await press(accept, "ada");
    expect(told("ada").at(-1)).toContain("other organisations");
    expect(await asked()).toEqual([]);
  });

  it("a message that is gone is not answered", async () => {
    const { ask, asked, platform, press, told } = await createAmbient();
    await ask();
    platform.threads.clear();
    await press(buttonOf(platform, "Yes, answer it"), "ada");
    expect(told("ada").at(-1)).toContain("no longer find your message");
    expect(await asked()).toEqual([]);
  });
});

describe("messages that nobody is asked about", () => {
  const modes = ["mention", "thread", undefined] as const;
  it.each(modes)("in a channel with the reply mode %s", async (mode) => {
    const { store, ask, model, asked } = await createAmbient();
    await updateNamespace(store, channel, ({ settings }) => {
      settings.reply = mode;
    });
    await ask();
    expect(model.requests).toEqual([]);
    expect(await asked()).toEqual([]);
  });

  const cases: [string, (ambient: Ambient) => Promise<unknown>][] = [
    [
      "of an asker whom another answers in the channel",
      async ({ write }) => {
        await write(question);
        await write("git reset", { author: "ben" });
      },
    ],
    [
      "of an asker whom another answers in the thread",
      async ({ write }) => {
        const { id } = await write(question);
        await write("git reset does that", { author: "ben", thread: id });
      },
    ],
    [
      "of an asker whom another process heard being answered",
      async ({ write, platform, clock }) => {
        const { place } = await write(question);
        const ben = { id: "ben", name: "Ben", bot: false, self: false };
        const reply = { id: "r", author: ben, text: "git reset", at: clock.now() + 1, files: [] };
        platform.threads.get(place.thread)?.push(reply);
      },
    ],
    [
      "of an asker who asks the bot",
      async ({ write }) => {
        await write(question);
        await write(question, { addressed: "mention", author: "cleo" });
      },
    ],
    [
      "that were deleted",
      async ({ write, intake }) => {
        const { key, place } = await write(question);
        await intake.removed({ key, place });
      },
    ],
    [
      "that were changed",
      async ({ write, intake, clock }) => {
        const message = await write(question);
        await intake.edited({ ...message, text: "Found it.", edited_at: clock.now() });
      },
    ],
    [
      "that became questions by a change",
      async ({ write, intake, clock }) => {
        const message = await write("I undo the last commit.");
        await intake.edited({ ...message, text: question, edited_at: clock.now() });
      },
    ],
    [
      "in a thread of two people",
      async ({ write }) => {
        await write("I broke it.", { author: "ben", thread: "t" });
        await write(question, { thread: "t" });
      },
    ],
    [
      "in a thread that the bot was called into",
      async ({ write }) => {
        await write("stay out of this, all of you", { author: "ben", thread: "t", addressed: "mention" });
        await write("who broke it", { author: "cleo", thread: "t" });
        await write(question, { thread: "t" });
      },
    ],
    [
      "of people who may not use the bot",
      async ({ write, platform }) => {
        platform.people.set("ada", { standing: "guest" });
        await write(question);
      },
    ],
    [
      "in a paused channel",
      async ({ write, store }) => {
        await updateNamespace(store, channel, ({ settings }) => {
          settings.paused = { by: "cleo", at: 1 };
        });
        await write(question);
      },
    ],
    [
      "in a thread that cannot be read",
      async ({ write, platform }) => {
        await write(question);
        platform.fail("readThread", new Error("no"));
      },
    ],
  ];
  it.each(cases)("%s", async (_what, said) => {
    const ambient = await createAmbient();
    await said(ambient);
    await ambient.settle();
    const before = ambient.model.requests.filter(({ output_schema }) => output_schema !== undefined);
    expect(before).toEqual([]);
    await ambient.wait(2 * minute);
    expect(judgements(ambient.model)).toEqual([]);
    expect(offers(ambient.platform)).toEqual([]);
    expect(ambient.errors).toEqual([]);
  });

  it("a question that somebody answers while the model judges is not offered an answer, and counts only as judged", async () => {
    const held = Promise.withResolvers<void>();
    const ambient = await createAmbient({ scripted: { gate: () => held.promise } });
    const { id } = await ambient.ask();
    expect(judgements(ambient.model)).toHaveLength(1);
    await ambient.write("git reset does that", { author: "ben", thread: id });
    held.resolve();
    await ambient.settle();
    expect(offers(ambient.platform)).toEqual([]);
    for (let at = 0; at < 4; at += 1) await ambient.ask();
    expect(offers(ambient.platform)).toHaveLength(3);
  });

  it("where no model can judge", async () => {
    const { ask, model, platform } = await createAmbient({ scripted: { generative: false } });
    await ask();
    expect(model.requests).toEqual([]);
    expect(offers(platform)).toEqual([]);
  });
});

describe("the budget of silence", () => {
  it("offers are limited a day, also after a restart, and once in a thread", async () => {
    const first = await createAmbient({ chat: { offers: { per_day: 2, judged_per_day: 50 } } });
    const { platform, model, clock } = first;
    const thread = { thread: "t" };
    await first.ask(question, thread);
    await first.ask(question, thread);
    expect(judgements(model)).toHaveLength(1);
    const next = await createAmbient({ beside: first, chat: { offers: { per_day: 2, judged_per_day: 50 } } });
    await next.ask();
    await next.ask();
    expect(offers(platform)).toHaveLength(2);
    expect(judgements(model)).toHaveLength(2);
    await next.wait(day - (clock.now() % day) - 1 - minute);
    await next.ask();
    expect(offers(platform)).toHaveLength(2);
    await next.wait(1);
    await next.ask();
    expect(offers(platform)).toHaveLength(3);
  });

  it("0 offers a day ask no model", async () => {
    const { ask, model } = await createAmbient({ chat: { offers: { per_day: 0, judged_per_day: 50 } } });
    await ask();
    expect(model.requests).toEqual([]);
  });

  it("two processes that hear the same and other messages together stay within it", async () => {
    const one = await createAmbient();
    const other = await createAmbient({ beside: one });
    const { platform, model, clock } = one;
    const same = one.message(question);
    await Promise.all([one, other].map(({ intake }) => intake.message(same)));
    await one.wait(minute);
    expect(judgements(model)).toHaveLength(1);
    expect(offers(platform)).toHaveLength(1);
    for (let at = 0; at < 5; at += 1) {
      await Promise.all([
        one.intake.message(one.message(question, { id: `one-${at}`, thread: `one-${at}` })),
        other.intake.message(other.message(question, { id: `other-${at}`, thread: `other-${at}` })),
      ]);
      await one.wait(minute);
    }
    expect(clock.now() % day).toBeLessThan(day);
    expect(judgements(model)).toHaveLength(3);
    expect(offers(platform)).toHaveLength(3);
  });

  it.each([
    [no, 50, 0],
    [yes, 3, 3],
    [new Error("overloaded"), 50, 0],
    ["I cannot say", 50, 0],
  ])(
    "500 questions a day: the model says %s, and is asked %i times for %i offers",
    async (judges, calls, shown) => {
      const { intake, message, clock, platform, model, settle, app } = await createAmbient({ judges });
      for (let at = 0; at < 500; at += 1) {
        await intake.message(message(question, { author: `u${at % 40}`, thread: `t${at}`, id: `m${at}` }));
        clock.advance(day / 500);
        await nextTurn();
      }
      await settle();
      expect(judgements(model)).toHaveLength(calls);
      expect(offers(platform)).toHaveLength(shown);
      expect(platform.shown).toHaveLength(shown);
      expect(await app.turns({ namespace: channel, limit: 10 })).toEqual([]);
    },
    60_000,
  );
});

describe("the cost of judgements", () => {
  const usage = { input_tokens: 300, output_tokens: 100 };

  it("the cost counts to the channel, in every process and after a restart, and its cap ends them silently", async () => {
    const spending = { per_channel_day_tokens: 800 };
    const first = await createAmbient({ judges: no, spending, scripted: { usage } });
    await first.ask();
    const next = await createAmbient({ beside: first, spending });
    await next.ask();
    await next.ask();
    await first.ask();
    expect(judgements(first.model)).toHaveLength(2);
    expect(first.platform.shown).toEqual([]);
    await next.wait(day);
    await next.ask();
    expect(judgements(first.model)).toHaveLength(3);
  });

  it("the cost is part of the usage that people see, and counts to no person", async () => {
    const { ask, app } = await createAmbient({ judges: no, scripted: { usage } });
    await ask();
    const by = { id: "ada", name: "Ada", trust: "member" as const };
    const shown = await app.run("usage.show", {
      input: { namespace: channel },
      asker: { by, namespace: channel },
    });
    expect(shown).toMatchObject({
      value: { channel: usage, person: { input_tokens: 0, output_tokens: 0 } },
    });
  });

  it("nothing is judged for an asker who could not have an answer", async () => {
    const { ask, model } = await createAmbient({ spending: { per_user_day_tokens: 0 } });
    await ask();
    expect(model.requests).toEqual([]);
  });
});

describe("a process that dies", () => {
  it("between judgement and offer loses the offer, and nobody is asked twice", async () => {
    const first = await createAmbient();
    const { platform, model } = first;
    platform.fail("whisper", new Error("killed"));
    const message = await first.ask();
    expect(judgements(model)).toHaveLength(1);
    const next = await createAmbient({ beside: first });
    await next.intake.message(message);
    await next.wait(minute);
    expect(judgements(model)).toHaveLength(1);
    expect(offers(platform)).toEqual([]);
    for (let at = 0; at < 4; at += 1) await next.ask();
    expect(offers(platform)).toHaveLength(2);
  });

  it("during a judgement keeps the others waiting for a minute, and the message is not judged again", async () => {
    let isHung = true;
    const gate = () => (isHung ? new Promise<void>(() => {}) : Promise.resolve());
    const first = await createAmbient({ scripted: { gate } });
    const { platform, model } = first;
    const message = await first.ask();
    expect(judgements(model)).toHaveLength(1);
    isHung = false;
    const next = await createAmbient({ beside: first });
    await next.intake.message(message);
    await next.wait(minute);
    expect(judgements(model)).toHaveLength(1);
    await next.ask();
    expect(judgements(model)).toHaveLength(2);
    expect(offers(platform)).toHaveLength(1);
  });
});

it("the words of a message go to the model alone, and are stored nowhere", async () => {
  const { write, wait, store, model, platform } = await createAmbient();
  await write("the secret of the others", { author: "ben", thread: "t" });
  await write("another secret", { author: "cleo", thread: "t" });
  const mine = "How do I spell zyzzyva, please?";
  await write(mine, { thread: "t" });
  await wait(minute);
  expect(offers(platform)).toHaveLength(1);
  const sent = JSON.stringify(judgements(model)[0]);
  expect(sent).toContain("zyzzyva");
  expect(sent).not.toMatch(/secret|ben|cleo|ada/);
  const kept: string[] = [];
  for await (const key of store.keys("")) kept.push(key, JSON.stringify(await store.get(key)));
  expect(kept.join("\n")).toContain("chat-offer");
  expect(kept.join("\n")).not.toMatch(/zyzzyva|look it up/);
});
