/** Commands that change a setting of a channel; some show it when no value follows. */
import { oneLine } from "../../base/markdown-text.ts";
import { namespaceStateSchema } from "../../core/skill/namespace-state.ts";
import { efforts } from "../../core/values/message.ts";
import { timeZones } from "../services/channel-settings.ts";
import { raising, tokenLimitText } from "../turns/spending.ts";
import { type Changed, choice, type Form, form, wordForm } from "./setting-form.ts";
import { modelWords, smallModel, usageText } from "./words.ts";

/** The word that restores the agent's or the configured value. */
const byDefault = "default";

const model = form({
  command: "agent model",
  description: "Shows or chooses the model that answers in this channel",
  option: {
    name: "model",
    description: "The model, as provider/model, or `default`; shows it unless given",
    usage: "[model|default]",
    complete: async ({ models }) => [
      { text: byDefault, description: "the agent's own, else the configured one" },
      ...models.proposals().map(({ name, description }) => ({ text: name, description })),
    ],
  },
  change: (words) => ({ model: words.toLowerCase() === byDefault ? null : words }),
  show({ settings, where, services }) {
    const small = `Summaries and other small work go to **${smallModel(services, settings)}**.`;
    const how = "`/agent model <provider>/<model>` chooses another one, `/agent model default` goes back.";
    return `The model ${where} is ${modelWords(services, settings).model}. ${small} ${how}`;
  },
  done({ settings, change, where, services }) {
    if (!change.model) return `The model ${where} is ${modelWords(services, settings).model} again.`;
    const choice = services.models.choose(change.model);
    const note = choice.ok && choice.note !== undefined ? ` ${choice.note}` : "";
    return `**${settings.model}** answers ${where} from the next message on.${note}`;
  },
});

const allEfforts = [...efforts, byDefault];

const effort = form({
  command: "agent effort",
  description: "Shows or chooses how hard the model thinks in this channel",
  option: {
    name: "effort",
    description: "How hard the model thinks; shows it unless given",
    choices: allEfforts.map((text) => ({ text, description: "" })),
  },
  change(words) {
    const word = words.toLowerCase();
    return choice("effort", word === byDefault ? null : efforts.find((each) => each === word));
  },
  missing: (words) => `There is no effort ${oneLine(words, 40)}. Choose one of: ${allEfforts.join(", ")}.`,
  show: ({ settings, where, services }) =>
    `The model thinks with effort ${modelWords(services, settings).effort} ${where}. Choose one of: ${allEfforts.join(", ")}. A model that does not support one uses the nearest.`,
  done: ({ change, where }) =>
    change.effort === null
      ? `How hard the model thinks ${where} is up to the agent and the configuration again.`
      : `The model thinks with effort **${change.effort}** ${where}, or with the nearest one it supports.`,
});

const use = form({
  command: "agent use",
  public: true,
  description: "Chooses the agent that answers in this channel",
  option: {
    name: "agent",
    description: "The id of the agent",
    required: true,
    complete: async ({ profiles }) => profiles.map(({ id, description }) => ({ text: id, description })),
  },
  change: (words) => (words === "" ? undefined : { profile: words.toLowerCase() }),
  missing: "Which agent? `/agent list` shows them.",
  done: ({ change, where }) => `**${change.profile}** answers ${where} now.`,
});

const progress = wordForm("progress", {
  command: "agent progress",
  description: "How much progress is shown here",
  option: { name: "level", description: "What is shown while I work" },
  words: {
    quiet: ["quiet", "only the answer", "Progress here: only the answer."],
    steps: ["steps", "plain-language steps", "Progress here: plain-language steps."],
    full: ["full", "steps with input and output", "Progress here: steps with input and output."],
  },
});

const steering = wordForm("while_running", {
  command: "agent steering",
  description: "Whether your next message goes into a running turn (on) or is answered after it (off)",
  option: { name: "join", description: "What happens to a message while a turn runs" },
  words: {
    on: [
      "steer",
      "your message while a turn runs goes into its next step",
      "Your next message goes into the next step of a running turn; once the answer is being written, it is answered after it.",
    ],
    off: [
      "queue",
      "a message while a turn runs is answered after it",
      "Messages are answered after the running turn.",
    ],
  },
});

const pause = form({
  command: "agent pause",
  public: true,
  description: "Lets the bot answer nobody here until it is resumed",
  change: () => ({ paused: true }),
  done: () =>
    "I am paused here: I answer nothing but commands until a manager writes `/agent resume`. What runs is finished; `/agent stop` stops it.",
});

const resume = form({
  command: "agent resume",
  public: true,
  description: "Lets the bot answer here again",
  change: () => ({ paused: false }),
  done: () => "I answer here again.",
});

const inThreads =
  "In a thread I was called into I answer without a mention, as long as one person writes there.";

const reply = wordForm("reply", {
  command: "agent reply",
  description: "When the bot answers without being mentioned",
  option: { name: "mode", description: "When I answer here" },
  words: {
    mention: ["mention", "only when I am mentioned", "I answer here only when I am mentioned."],
    thread: ["thread", "also in a thread I was called into, while one person writes there", inThreads],
    always: ["always", "every message", "I answer every message here."],
    ambient: [
      "ambient",
      "as thread; I may also offer, privately, to answer a question",
      `${inThreads} A few times a day I also ask somebody privately whether I shall answer their question. For that, the small model reads questions that are written here.`,
    ],
    default: [
      null,
      "as the bot is configured",
      "When I answer here without a mention is up to the bot's configuration again.",
    ],
  },
});

const bots = wordForm("bots", {
  command: "agent bots",
  description: "What the bot does with messages of other bots",
  option: { name: "mode", description: "What I do with messages of other bots here" },
  words: {
    ignore: ["ignore", "nothing", "I ignore other bots here."],
    mention: [
      "mention",
      "I answer those that mention me",
      "I answer other bots here when they mention me, as far as the bot's configuration allows them.",
    ],
    people: [
      "people",
      "as with messages of people",
      "I answer other bots here as I answer people, as far as the bot's configuration allows them. After a few answers without a person in between I stop.",
    ],
    default: [
      null,
      "as the bot is configured",
      "Which other bots I answer here is up to the bot's configuration again.",
    ],
  },
});

const reset = form({
  command: "agent reset",
  public: true,
  description: "Sets everything about the agent here back to its default; skills stay as they are",
  change() {
    const { progress, while_running } = namespaceStateSchema.parse({}).settings;
    const none = { profile: null, model: null, effort: null, time_zone: null, spending: null };
    return { progress, while_running, ...none, reply: null, bots: null, paused: false };
  },
  done: () => "The agent's settings here are the defaults again; skills stay as they are.",
});

const timeZone = form({
  command: "agent timezone",
  public: true,
  description: "The time zone here, for people whose own is not known",
  option: {
    name: "zone",
    description: "The time zone, like Europe/Amsterdam, or `default`; shows it unless given",
    usage: "[zone|default]",
    complete: async ({ time_zone }) => [
      { text: byDefault, description: `the server's: ${time_zone}` },
      ...timeZones().map((text) => ({ text, description: "time zone" })),
    ],
  },
  change: (words) => ({ time_zone: words.toLowerCase() === byDefault ? null : words.slice(0, 200) }),
  show({ settings, where, services }) {
    const whose = settings.time_zone === undefined ? "the server's" : "set here";
    return `The time zone ${where} is **${settings.time_zone ?? services.time_zone}** (${whose}). It counts for people whose own zone is not known. A manager changes it: \`/agent timezone Europe/Amsterdam\`, or \`default\` for the server's.`;
  },
  done({ settings, where, services }) {
    const { time_zone: own } = settings;
    const whose = own === undefined ? ", the server's" : "";
    return `The time zone ${where} is **${own ?? services.time_zone}**${whose}, for people whose own zone is not known.`;
  },
});

const spending = form({
  command: "agent spending",
  description: "Shows what this channel may spend a day; its managers can lower that",
  option: {
    name: "amount",
    description:
      "Less than the operator allows, as `5 USD` or `200000 tokens`, or `default`; shows it unless given",
    usage: "[amount|default]",
  },
  change(words) {
    if (words.toLowerCase() === byDefault) return { spending: null };
    const [, dollar, number = "", unit] =
      /^(\$)?\s*(\d[\d,_]*(?:\.\d+)?)\s*(usd|dollars?|tokens?)?$/i.exec(words) ?? [];
    const amount = Number(number.replaceAll(/[,_]/g, ""));
    if (amount === 0 || (dollar ?? unit) === undefined) return undefined;
    if (!unit?.toLowerCase().startsWith("token")) return { spending: { day_usd: amount } };
    return dollar === undefined && Number.isInteger(amount)
      ? { spending: { day_tokens: amount } }
      : undefined;
  },
  missing: "How much a day? Write it as `5 USD`, `200000 tokens` or `default`.",
  async show({ where, services, input, asker }) {
    const { limits, spent, usd } = await limitsOf(services, input.ns);
    return `I spend at most ${limits} a day ${where}; used today (UTC): ${usageText(spent)}. ${raising(usd, asker.by.trust)}; a manager lowers it: \`/agent spending 5 USD\`, \`/agent spending 200000 tokens\`.`;
  },
  done: async ({ where, services, input }) =>
    `I spend at most ${(await limitsOf(services, input.ns)).limits} a day ${where}.`,
});

async function limitsOf({ spending }: Changed["services"], namespace: string) {
  const { spent, usd, tokens } = await spending.channel(namespace);
  return { spent, usd, limits: `$${usd.most.toFixed(2)} and ${tokenLimitText(tokens.most)}` };
}

export const settingForms: readonly Form[] = [
  model,
  effort,
  use,
  progress,
  steering,
  pause,
  resume,
  reply,
  bots,
  reset,
  timeZone,
  spending,
];
