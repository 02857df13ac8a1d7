import type { PlatformGate, PlatformRequest } from "./platform-gate.ts";

/** The people on each platform: two ordinary people, and a manager of the channel. */
export type Somebody = "member" | "other" | "manager";

/** How something is said. */
export interface Saying {
  /** Default the member. */
  who?: Somebody;
  /** Age, ms. */
  ago?: number;
}

/** The same scenario on Slack and on Discord. */
export interface Surface {
  name: "slack" | "discord";
  gate: PlatformGate;
  /** Of the channel in which everything is said. */
  namespace: string;
  /** Mentions the bot in the channel; answers the thread in which it answers. */
  ask(text: string, saying?: Saying): Promise<string>;
  /** Writes into a thread. */
  reply(thread: string, text: string, saying?: Saying): Promise<string>;
  /** Posts in the channel without a mention; returns the message. */
  say(text: string, saying?: Saying): Promise<string>;
  /** The thread in which people reply to a message; made if it has to be. */
  open(message: string): Promise<string>;
  /** Uses `/skill enable` in the person's direct messages. */
  enableDirectly(skill: string, who: Somebody): Promise<void>;
  /** Writes to the bot directly, and waits for an answer with this text. */
  askDirectly(text: string, answer: string, who?: Somebody): Promise<void>;
  /** Of a person's direct messages. */
  directNamespace(who: Somebody): string;
  /** Clicks a button of the bot's latest message in a thread that has one with this label. */
  press(thread: string, label: string, who?: Somebody): Promise<void>;
  /** Clicks each such button that is there now. One that goes meanwhile is left out. */
  pressAll(thread: string, label: string, who: Somebody): Promise<void>;
  /** The bot's messages to this person alone. */
  whispers(who: Somebody): Promise<string[]>;
  /** Waits until the bot has told this person alone something with this text. */
  whispered(who: Somebody, text: string): Promise<void>;
  /** What the bot's messages in a thread show that everybody sees, once there are so many. */
  shown(thread: string, count?: number): Promise<string[]>;
  /** Waits until a message of the bot in the thread shows this text. */
  shows(thread: string, text: string): Promise<void>;
  /** Whether a request posts a message that everybody sees. */
  isPost(request: PlatformRequest): boolean;
}
