/** Commands that set whom the bot answers in a channel, and when. */
import { botModeSchema, replyModeSchema } from "../../core/skill/namespace-state.ts";
import { said } from "./operation.ts";
import { byDefault, choice, form } from "./setting-form.ts";

const replyMeaning = {
  mention: "I answer here only when I am mentioned.",
  thread: "In a thread I was called into I answer without a mention, as long as one person writes there.",
  always: "I answer every message here.",
  ambient:
    "In a thread I was called into I answer without a mention, as long as one person writes there. A few times a day I also ask somebody privately whether I shall answer their question. For that, the small model reads questions that are written here.",
  default: "When I answer here without a mention is up to the bot's configuration again.",
};

const botsMeaning = {
  ignore: "I ignore other bots here.",
  mention: "I answer other bots here when they mention me, as far as the bot's configuration allows them.",
  people:
    "I answer other bots here as I answer people, as far as the bot's configuration allows them. After a few answers without a person in between I stop.",
  default: "Which other bots I answer here is up to the bot's configuration again.",
};

const pause = form({
  command: "agent pause",
  public: true,
  description: "Lets the bot answer nobody here until it is resumed",
  change: () => ({ paused: true }),
  tell: () =>
    said(
      "I am paused here: I answer nothing but commands until a manager writes `/agent resume`. What runs is finished; `/agent stop` stops it.",
    ),
});

const resume = form({
  command: "agent resume",
  public: true,
  description: "Lets the bot answer here again",
  change: () => ({ paused: false }),
  tell: () => said("I answer here again."),
});

const reply = form({
  command: "agent reply",
  public: true,
  description: "When the bot answers without being mentioned",
  option: {
    name: "mode",
    description: "When I answer here",
    required: true,
    choices: [
      { text: "mention", description: "only when I am mentioned" },
      { text: "thread", description: "also in a thread I was called into, while one person writes there" },
      { text: "always", description: "every message" },
      { text: "ambient", description: "as thread; I may also offer, privately, to answer a question" },
      { text: byDefault, description: "as the bot is configured" },
    ],
  },
  change(words) {
    const word = words.toLowerCase();
    return word === byDefault ? { reply: null } : choice("reply", replyModeSchema.safeParse(word).data);
  },
  missing: `Choose one of: ${[...replyModeSchema.options, byDefault].join(", ")}.`,
  tell: ({ change }) => said(replyMeaning[change.reply ?? byDefault]),
});

const bots = form({
  command: "agent bots",
  public: true,
  description: "What the bot does with messages of other bots",
  option: {
    name: "mode",
    description: "What I do with messages of other bots here",
    required: true,
    choices: [
      { text: "ignore", description: "nothing" },
      { text: "mention", description: "I answer those that mention me" },
      { text: "people", description: "as with messages of people" },
      { text: byDefault, description: "as the bot is configured" },
    ],
  },
  change(words) {
    const word = words.toLowerCase();
    return word === byDefault ? { bots: null } : choice("bots", botModeSchema.safeParse(word).data);
  },
  missing: `Choose one of: ${[...botModeSchema.options, byDefault].join(", ")}.`,
  tell: ({ change }) => said(botsMeaning[change.bots ?? byDefault]),
});

export const answeringForms = [pause, resume, reply, bots] as const;
