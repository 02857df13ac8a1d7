import { randomUUID } from "node:crypto";
import type { TurnEvent, TurnEventBody } from "../../../../../src/core/log/turn-event.ts";
import type { TurnLog } from "../../../../../src/core/log/turn-log.ts";
import { wordsOf } from "../../../../../src/core/ports/chat-platform.ts";
import type { Model, ModelEvent } from "../../../../../src/core/ports/model.ts";
import type { Author, Mention } from "../../../../../src/core/values/inbound.ts";
import { createMemoryTurnLog } from "../../../../../src/storage/memory-turn-log.ts";
import { createFakeClock, type FakeClock, filesAreRead } from "../../../../support/fakes/fake-clock.ts";
import { createFakePlatform, type FakePlatform } from "../../../../support/fakes/fake-platform.ts";
import { ada, createTestApp, type TestAppOptions } from "../../../../support/test-app.ts";

export function manualClock(): FakeClock {
  return createFakeClock(1_800_000_000_000);
}

/** Lets time pass in small steps, with room for what it sets off, until `isOver`; the limit is the test's own. */
export async function elapse(clock: FakeClock, isOver: () => boolean, step = 50): Promise<void> {
  while (!isOver()) {
    clock.advance(step);
    await filesAreRead();
  }
}

/** Lets so much time pass. */
export async function pass(clock: FakeClock, ms: number): Promise<void> {
  const end = clock.now() + ms;
  await elapse(clock, () => clock.now() >= end, Math.min(50, ms));
}

type Saying = string | { call: string; with?: unknown } | Promise<unknown>;

/** A model that says its rounds piece by piece; a promise among the pieces holds it back. */
export function stagedModel(...rounds: (readonly (Saying | ModelEvent)[])[]): Model & { asked: number } {
  const model = {
    id: "staged/model",
    generative: true,
    asked: 0,
    async *stream({ signal }: Parameters<Model["stream"]>[0]): ReturnType<Model["stream"]> {
      const round = rounds[model.asked] ?? ["(nothing more)"];
      model.asked += 1;
      let text = "";
      const tool_calls: { id: string; name: string; arguments: string }[] = [];
      for (const piece of round) {
        if (piece instanceof Promise) await Promise.race([piece, aborted(signal)]);
        else if (typeof piece === "object" && "call" in piece) {
          const id = `call_${model.asked}_${tool_calls.length}`;
          tool_calls.push({ id, name: piece.call, arguments: JSON.stringify(piece.with ?? {}) });
        } else {
          const event = eventOf(piece);
          text = textAfter(text, event);
          yield event;
        }
        signal.throwIfAborted();
      }
      const usage = { input_tokens: 1, output_tokens: 1 };
      yield { type: "finished", message: { role: "assistant", text, tool_calls }, usage, model: model.id };
    },
  };
  return model;
}

function eventOf(piece: string | ModelEvent): ModelEvent {
  return typeof piece === "string" ? { type: "text", text: piece } : piece;
}

function textAfter(text: string, event: ModelEvent): string {
  if (event.type === "reset") return "";
  return event.type === "text" ? text + event.text : text;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

export interface PresentedOptions extends Omit<TestAppOptions, "clock"> {
  platform?: FakePlatform;
  clock?: FakeClock;
}

export const place = { namespace: "fake:team:general", thread: "t1" };

interface Asked {
  author: Author;
  namespace: string;
  thread: string;
  /** The platform's id of the message. */
  said: string;
  /** Whether it came from the platform. */
  shown: boolean;
  mentions: Mention[];
}

/** An app with a fake platform on a clock of the test's. */
export function presentedApp(
  model: Model,
  { platform, clock = manualClock(), ...options }: PresentedOptions = {},
) {
  const chat = platform ?? createFakePlatform({ now: clock.now });
  const stored = options.log ?? createMemoryTurnLog(clock);
  let written = 0;
  const log: TurnLog = {
    ...stored,
    async append(...given) {
      await stored.append(...given);
      written += 1;
    },
    async absorb(...given) {
      await stored.absorb(...given);
      written += 1;
    },
  };
  const test = createTestApp(model, { ...options, log, clock });
  const intake = test.chat.connect(chat);
  const ask = async (text: string, more: Partial<Asked> = {}): Promise<string> => {
    const id = randomUUID();
    const { said = `message-${id}`, shown = true, mentions = [], ...rest } = more;
    const origin = { message: said, said_at: clock.now(), files: [], in_thread: false, mentions };
    const submission = { ...place, key: id, text, author: ada, ...rest };
    const submitted = await test.app.submit(shown ? { ...submission, origin } : submission);
    if (!submitted.ok) throw new Error(submitted.message);
    return submitted.value.turn_id;
  };
  /** Lets time pass until the turn has such an event. */
  const reach = async (turnId: string, type: TurnEvent["type"], count = 1): Promise<TurnEvent[]> => {
    for (;;) {
      const before = written;
      const events = await log.read(turnId);
      if (events.filter((event) => event.type === type).length >= count) return events;
      await elapse(clock, () => written > before);
    }
  };
  return { ...test, intake, platform: chat, clock, ask, reach };
}

/** A log as a killed process leaves it: a message from a platform claimed, and these events written, so many ms ago. */
export async function logLeftBehind(
  turnId: string,
  events: readonly TurnEventBody[],
  clock: FakeClock,
  { ago = 0, author = ada }: { ago?: number; author?: Author } = {},
): Promise<TurnLog> {
  const log = createMemoryTurnLog(clock);
  const at = clock.now() - ago;
  const origin = { message: "message-left", said_at: at, files: [], in_thread: false };
  await log.accept({ key: turnId, ...place, author, kind: "message", text: "go", origin }, turnId, at);
  await log.claim("dead worker", 60_000);
  await log.append(
    turnId,
    "dead worker",
    events.map((event, index) => ({ ...event, turn_id: turnId, seq: index + 1, at })),
  );
  await log.reclaim();
  return log;
}

/** What people see of the bot now: purpose, progress and text. */
export function seen({ visible }: FakePlatform): string[] {
  return visible().map(({ message, only_for }) => {
    const whom = only_for === undefined ? "" : ` for ${only_for}`;
    return `${message.tag?.purpose ?? "notice"}${whom}: ${wordsOf(message)}`;
  });
}
