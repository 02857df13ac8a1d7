import type { ButtonPress, ChatIntake, ChatMessage } from "../../../../../src/app/chat/chat-intake.ts";
import type { Model } from "../../../../../src/core/ports/model.ts";
import { systemClock } from "../../../../../src/wiring/system-clock.ts";
import { createFakePlatform, type FakePlatform } from "../../../../support/fakes/fake-platform.ts";
import { scriptedModel } from "../../../../support/models/scripted-model.ts";
import { createTestApp, type TestApp, type TestAppOptions } from "../../../../support/test-app.ts";

export const channel = "fake:team:general";

/** An app with one platform, seen from the platform's side. */
export interface IntakeFixture extends TestApp {
  intake: ChatIntake;
  platform: FakePlatform;
  /** Lets time pass for the app, ms. */
  pass(ms: number): void;
  /** Texts of the turns of a channel, oldest first. */
  asked(namespace?: string): Promise<string[]>;
  /** What only this person was told by the manners, oldest first. */
  told(person: string): string[];
  /** The id of the turn of a message. */
  turnOf(message: ChatMessage): Promise<string>;
  /** A message as the platform hands it in now. */
  message(text: string, more?: MessageOptions): ChatMessage;
  /** A message that mentions the bot. */
  mention(text: string, more?: MessageOptions): ChatMessage;
  press(button: string, person: string, more?: Partial<ButtonPress>): Promise<void>;
}

export interface MessageOptions extends Partial<Omit<ChatMessage, "place">> {
  /** The id of the message the thread begins with; a message without one stands in the channel. */
  thread?: string;
  namespace?: string;
}

export function createIntake({
  model = scriptedModel(["Done."]),
  platform = createFakePlatform(),
  ...options
}: TestAppOptions & { model?: Model; platform?: FakePlatform } = {}): IntakeFixture {
  let passed = 0;
  let count = 0;
  const { clock = { ...systemClock, now: () => systemClock.now() + passed } } = options;
  const test = createTestApp(model, { ...options, clock });
  const intake = test.chat.connect(platform);
  const message: IntakeFixture["message"] = (text, { thread, namespace = channel, ...more } = {}) => {
    count += 1;
    const id = more.id ?? `${Math.round(clock.now())}.${count}`;
    return {
      key: `${namespace}:${id}`,
      place: { namespace, thread: thread ?? id },
      id,
      author: "ada",
      by_bot: false,
      text,
      said_at: clock.now(),
      addressed: "none",
      mentions_others: false,
      in_thread: thread !== undefined,
      files: [],
      ...more,
    };
  };
  return {
    ...test,
    intake,
    platform,
    message,
    mention: (text, more) => message(text, { addressed: "mention", ...more }),
    pass(ms) {
      passed += ms;
    },
    async asked(namespace = channel) {
      return (await test.app.turns({ namespace, limit: 200 })).map((turn) => turn.text).reverse();
    },
    told: (person) =>
      platform.shown
        .filter((each) => each.only_for === person && each.message.tag === undefined)
        .map((each) => each.message.markdown),
    async turnOf({ key }) {
      const turnId = await test.log.find(key);
      if (turnId === undefined) throw new Error(`no turn was made of ${key}`);
      return turnId;
    },
    press: (button, person, more = {}) =>
      intake.press({
        place: { namespace: channel, thread: "t" },
        id: `press-${++count}`,
        person,
        button,
        reference: "card",
        ...more,
      }),
  };
}

/** A direct message to the bot. */
export function direct(text: string, more: MessageOptions = {}): [string, MessageOptions] {
  const author = more.author ?? "ada";
  return [
    text,
    { namespace: `fake:team:dm-${author}`, thread: "dm", addressed: "direct", in_thread: false, ...more },
  ];
}

/** A gate that holds a model until `open` is called. */
export function createGate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { gate: () => promise, open: resolve };
}
