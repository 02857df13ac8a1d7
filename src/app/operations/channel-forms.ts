/** Commands that change a setting of a channel; some show it when no value follows. */
import { oneLine } from "../../base/markdown-text.ts";
import { namespaceStateSchema, progressLevelSchema } from "../../core/skill/namespace-state.ts";
import { efforts } from "../../core/values/message.ts";
import { timeZones } from "../services/channel-settings.ts";
import { raising, tokenLimitText } from "../turns/spending.ts";
import { answeringForms } from "./answering-forms.ts";
import { said, shown } from "./operation.ts";
import { byDefault, choice, form } from "./setting-form.ts";
import { modelWords, smallModel, usageText } from "./words.ts";

const progressMeaning = {
  quiet: "only the answer",
  steps: "plain-language steps",
  full: "steps with input and output",
};

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
  change: (words) => (words === "" ? {} : { model: words === byDefault ? null : words }),
  tell({ settings, change, where, call: { services } }) {
    const { model } = modelWords(services, settings);
    if (change.model === null) return said(`The model ${where} is ${model} again.`);
    if (change.model === undefined) {
      const small = `Summaries and other small work go to **${smallModel(services, settings)}**.`;
      const how = "`/agent model <provider>/<model>` chooses another one, `/agent model default` goes back.";
      return shown(`The model ${where} is ${model}. ${small} ${how}`);
    }
    const choice = services.models.choose(change.model);
    const note = choice.ok && choice.note !== undefined ? ` ${choice.note}` : "";
    return said(`**${settings.model}** answers ${where} from the next message on.${note}`);
  },
});

const effort = form({
  command: "agent effort",
  description: "Shows or chooses how hard the model thinks in this channel",
  option: {
    name: "effort",
    description: "How hard the model thinks; shows it unless given",
    choices: [...efforts, byDefault].map((text) => ({ text, description: "" })),
  },
  change(words) {
    const word = words.toLowerCase();
    if (word === "" || word === byDefault) return word === "" ? {} : { effort: null };
    return choice(
      "effort",
      efforts.find((each) => each === word),
    );
  },
  missing: (words) =>
    `There is no effort ${oneLine(words, 40)}. Choose one of: ${efforts.join(", ")}, ${byDefault}.`,
  tell({ settings, change, where, call: { services } }) {
    if (change.effort === undefined) {
      const known = "A model that does not support one uses the nearest.";
      return shown(
        `The model thinks with effort ${modelWords(services, settings).effort} ${where}. Choose one of: ${efforts.join(", ")}, ${byDefault}. ${known}`,
      );
    }
    return said(
      change.effort === null
        ? `How hard the model thinks ${where} is up to the agent and the configuration again.`
        : `The model thinks with effort **${change.effort}** ${where}, or with the nearest one it supports.`,
    );
  },
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
  tell: ({ change, where }) => said(`**${change.profile}** answers ${where} now.`),
});

const progress = form({
  command: "agent progress",
  public: true,
  description: "How much progress is shown here",
  option: {
    name: "level",
    description: "What is shown while I work",
    required: true,
    choices: progressLevelSchema.options.map((text) => ({ text, description: progressMeaning[text] })),
  },
  change: (words) => choice("progress", progressLevelSchema.safeParse(words).data),
  missing: "Choose one of: quiet, steps, full.",
  tell: ({ settings }) => said(`Progress here: ${progressMeaning[settings.progress]}.`),
});

const steering = form({
  command: "agent steering",
  public: true,
  description: "Whether your next message goes into a running turn (on) or is answered after it (off)",
  option: {
    name: "join",
    description: "What happens to a message while a turn runs",
    required: true,
    choices: [
      { text: "on", description: "your message while a turn runs goes into its next step" },
      { text: "off", description: "a message while a turn runs is answered after it" },
    ],
  },
  change: (words) =>
    words === "on" ? { while_running: "steer" } : words === "off" ? { while_running: "queue" } : undefined,
  missing: "Choose one of: on, off.",
  tell: ({ settings }) =>
    said(
      settings.while_running === "steer"
        ? "Your next message goes into the next step of a running turn; once the answer is being written, it is answered after it."
        : "Messages are answered after the running turn.",
    ),
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
  tell: () => said("The agent's settings here are the defaults again; skills stay as they are."),
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
  change: (words) =>
    words === "" ? {} : { time_zone: words.toLowerCase() === byDefault ? null : words.slice(0, 200) },
  tell({ settings, change, where, call: { services } }) {
    const zone = settings.time_zone ?? services.time_zone;
    if (change.time_zone !== undefined) {
      const whose = change.time_zone === null ? ", the server's" : "";
      return said(`The time zone ${where} is **${zone}**${whose}, for people whose own zone is not known.`);
    }
    const whose = settings.time_zone === undefined ? "the server's" : "set here";
    return shown(
      `The time zone ${where} is **${zone}** (${whose}). It counts for people whose own zone is not known. A manager changes it: \`/agent timezone Europe/Amsterdam\`, or \`default\` for the server's.`,
    );
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
    if (words === "" || words.toLowerCase() === byDefault) return words === "" ? {} : { spending: null };
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
  async tell({ change, where, call: { input, services, asker } }) {
    const { spent, usd, tokens } = await services.spending.channel(input.ns);
    const limits = `$${usd.most.toFixed(2)} and ${tokenLimitText(tokens.most)}`;
    if (change.spending !== undefined) return said(`I spend at most ${limits} a day ${where}.`);
    return shown(
      `I spend at most ${limits} a day ${where}; used today (UTC): ${usageText(spent)}. ${raising(usd, asker.by.trust)}; a manager lowers it: \`/agent spending 5 USD\`, \`/agent spending 200000 tokens\`.`,
    );
  },
});

export const settingForms: readonly ReturnType<typeof form>[] = [
  model,
  effort,
  use,
  progress,
  steering,
  ...answeringForms,
  reset,
  timeZone,
  spending,
];
