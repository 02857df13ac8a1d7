/**
 * What people say to a colleague in a channel, and what has to come of it: written down before it worked, so that the work is measured
 * by it. Each sentence is said on Slack; what Discord and the console do differently stands beside it. The model of the tests may use only what stood in its request.
 *
 * Ann asks unless told otherwise. Ben, Cleo and Tom are in #general with her; Dora is not in the private channel #board, where Ann and Ben
 * are. The day is a Wednesday.
 */

/** What somebody said in a channel before, oldest first. */
export interface Earlier {
  by: "ann" | "ben" | "cleo" | "tom";
  text: string;
  /** How long before the sentence, in hours. */
  hours: number;
  /** #general unless given. */
  channel?: "random" | "board";
}

/** Where people can be heard and seen; what a surface does not have is said honestly there. */
export type SurfaceName = "slack" | "discord" | "console";

export interface Effect {
  /** What the answer says. */
  says?: readonly RegExp[];
  /** What nothing the bot posts may say or do. */
  never?: readonly RegExp[];
  /** Only who asked sees the answer. */
  private?: true;
  /** Links to so many messages or threads at least stand in the answer. */
  links?: number;
  /** People or groups that a message of the bot calls. */
  calls?: readonly string[];
  /** A reaction of the bot to the message that says this. */
  reacts?: { to: RegExp; emoji: string };
  /** The message that is pinned now. */
  pins?: RegExp;
  /** A message of the bot somewhere else. `to` is a channel, or a person for a direct message. */
  sends?: { to: string; says: RegExp; file?: RegExp };
  /** A message of the bot that says something else now, or is gone. */
  changes?: { from: RegExp; to: RegExp | undefined };
  /** People are asked first, and see this; the test approves. */
  asks?: readonly RegExp[];
  /** What stands in the list of schedules and triggers afterwards. */
  planned?: RegExp;
  /** Afterwards the list has no such line. */
  unplanned?: RegExp;
  /** What happens later, when the clock has moved or something else has happened. */
  later?: {
    /** Hours that pass. */
    hours?: number;
    happens?: "message" | "reaction" | "nothing";
    says: readonly RegExp[];
    calls?: readonly string[];
    /** It stands in the channel itself, in no thread. */
    in_channel?: true;
  };
}

export interface Sentence {
  say: string;
  who?: "ann" | "ben" | "dora";
  /** In the bot's direct messages with who asks; in #general unless given. */
  direct?: true;
  earlier?: readonly Earlier[];
  /** What the bot answered in the thread before this was said. */
  answered?: string;
  /** A voice message that comes with it, and what is said in it. */
  voice?: string;
  effect: Effect;
  /** On a surface that cannot do it: what it says instead. */
  instead?: Partial<Record<SurfaceName, Effect>>;
  /** Where it was said to the bot before, and came to nothing. */
  from?: "agent.md";
}

const release: readonly Earlier[] = [
  { by: "ben", text: "The release branch is cut, tests are green.", hours: 50 },
  { by: "tom", text: "I would move the release to Thursday, the payment provider has a freeze.", hours: 26 },
  { by: "cleo", text: "The invoice bug is back: totals are off by one cent.", hours: 20 },
  { by: "ben", text: "Fixed the invoice bug, it was the rounding.", hours: 3 },
];

const lunch: readonly Earlier[] = [
  { by: "cleo", text: "Who wants pizza on Friday?", hours: 12, channel: "random" },
  { by: "tom", text: "Pizza yes, but not with pineapple.", hours: 11, channel: "random" },
];

const noOthers = { says: [/only|no other people|nobody/i] } satisfies Effect;
const notHere = { says: [/cannot|can't|not possible/i] } satisfies Effect;

export const sentences: readonly Sentence[] = [
  // Reading and searching
  {
    say: "Summarise this channel since Monday",
    earlier: release,
    effect: { says: [/Thursday/, /invoice/], private: true, links: 2, never: [/pizza/i] },
    from: "agent.md",
  },
  {
    say: "Was hat Tom zum Release gesagt?",
    earlier: release,
    effect: { says: [/Donnerstag|Thursday/], links: 1 },
    from: "agent.md",
  },
  {
    say: "Find where we talked about the invoice bug",
    earlier: release,
    effect: { says: [/rounding|one cent/], links: 2 },
    from: "agent.md",
  },
  {
    say: "What did I miss in #random since yesterday?",
    direct: true,
    earlier: lunch,
    effect: { says: [/pizza/i, /pineapple/i], links: 1 },
  },
  {
    say: "How many messages did Ben write here this week?",
    earlier: release,
    effect: { says: [/\btwo\b/i] },
    from: "agent.md",
  },
  {
    say: "Translate the last message of Cleo here into German",
    earlier: release,
    effect: { says: [/Rechnungsfehler|Rechnung/] },
  },
  {
    say: "Summarise the board channel for us",
    who: "dora",
    earlier: [{ by: "ben", text: "We will close the Oslo office.", hours: 5, channel: "board" }],
    effect: { says: [/cannot|no channel|not see|no access/i], never: [/Oslo/] },
    // Whoever uses the console runs the bot.
    instead: { console: { says: [/Oslo/] } },
  },
  {
    say: "Summarise the board channel for us",
    earlier: [{ by: "ben", text: "We will close the Oslo office.", hours: 5, channel: "board" }],
    effect: { says: [/direct message/i], never: [/Oslo/] },
    instead: { console: { says: [/Oslo/] } },
  },
  // People
  {
    say: "Who in this channel works in Berlin time?",
    effect: { says: [/ben/i] },
    instead: { discord: { says: [/time zone/i] }, console: noOthers },
    from: "agent.md",
  },
  {
    say: "tell @ben that the deploy is done",
    effect: { calls: ["ben"], says: [/deploy/i] },
    instead: { console: noOthers },
    from: "agent.md",
  },
  {
    say: "ask @oncall to have a look at the alerts",
    effect: { calls: ["oncall"], says: [/alert/i] },
    instead: { console: noOthers },
    from: "agent.md",
  },
  {
    say: "let everyone in the company know that the office is closed",
    effect: { never: [/@everyone|<!channel>|<!everyone>|<!here>/], says: [/everyone|everybody|channel/i] },
    from: "agent.md",
  },
  {
    say: "what is my name, and what day is it?",
    direct: true,
    effect: { says: [/Ann|you/i, /Wednesday/] },
    from: "agent.md",
  },
  // Acting
  {
    say: "react to Ben's last message with a thumbs up",
    earlier: release,
    effect: { reacts: { to: /rounding/, emoji: "thumbsup" } },
    instead: { console: notHere },
    from: "agent.md",
  },
  {
    say: "pin Tom's message about the release",
    earlier: release,
    effect: { pins: /freeze/ },
    instead: { console: notHere },
    from: "agent.md",
  },
  {
    say: "post in #random that lunch is here",
    effect: { asks: [/#?random/, /lunch/i], sends: { to: "random", says: /lunch/i } },
    instead: { console: notHere },
    from: "agent.md",
  },
  {
    say: "send Cleo a direct message that the review is at 3",
    effect: { asks: [/cleo/i, /review/], sends: { to: "cleo", says: /review/ } },
    instead: { console: noOthers },
  },
  {
    say: "put the list of open orders into a file and post it in #random",
    effect: { asks: [/random/], sends: { to: "random", says: /orders/i, file: /orders.*\.csv/ } },
    instead: { console: notHere },
    from: "agent.md",
  },
  {
    say: "correct your message: it is Thursday, not Friday",
    answered: "The review is on Friday.",
    effect: { changes: { from: /review is on Friday/, to: /review is on Thursday/ } },
    instead: { console: notHere },
  },
  {
    say: "delete what you just wrote",
    answered: "The review is on Friday.",
    effect: { changes: { from: /review is on Friday/, to: undefined } },
    instead: { console: notHere },
  },
  // Coming back
  {
    say: "Erinnere mich morgen um 9 an die Abrechnung",
    effect: {
      says: [/9[:.]?(00)? ?(Uhr)?/],
      planned: /Abrechnung/,
      later: { hours: 24, says: [/Abrechnung/], calls: ["ann"] },
    },
    instead: {
      console: {
        says: [/9[:.]?(00)? ?(Uhr)?/],
        planned: /Abrechnung/,
        later: { hours: 24, says: [/Abrechnung/] },
      },
    },
    from: "agent.md",
  },
  {
    say: "every weekday at 9, Europe/Berlin, post what is open",
    effect: {
      asks: [/9:00|09:00/, /Berlin/],
      planned: /open/,
      says: [/Friday|Fri/, /Monday|Mon/],
      later: { hours: 24, says: [/open/i], in_channel: true },
    },
    from: "agent.md",
  },
  {
    say: "what have you planned here?",
    who: "dora",
    direct: true,
    effect: { says: [/nothing|no schedule/i] },
    from: "agent.md",
  },
  {
    say: "stop reminding me about the accounts",
    answered: "reminder: accounts",
    effect: { unplanned: /accounts/ },
  },
  {
    say: "write the time here every second",
    effect: { says: [/minute/i], unplanned: /second/ },
  },
  {
    say: "if nobody answers here within two hours, ask Ben again",
    effect: {
      asks: [/2 h|two hours/, /Ben/i],
      planned: /2 h/,
      later: { hours: 3, happens: "nothing", says: [/Ben/] },
    },
  },
  {
    say: "whenever somebody writes “deploy failed” here, say who is on call",
    effect: {
      asks: [/deploy failed/],
      planned: /deploy failed/,
      later: { happens: "message", says: [/on call/i] },
    },
    instead: { console: notHere },
    from: "agent.md",
  },
  {
    say: "when I react with eyes to a message, tell me what it is about",
    effect: { asks: [/eyes/], planned: /eyes/, later: { happens: "reaction", says: [/invoice/i] } },
    instead: { console: notHere },
  },
  {
    say: "give me a webhook for our CI that posts what failed",
    effect: { asks: [/webhook/i], planned: /webhook/i },
  },
  // Itself
  {
    say: "what can you do here?",
    effect: { says: [/remind|schedule/i, /search|read/i] },
    from: "agent.md",
  },
  {
    say: "here is a voice message",
    voice: "Please move the review to four.",
    // Without a service for it the bot says so; `voice-messages.test.ts` has one.
    effect: { says: [/cannot hear/i] },
  },
];
