import { z } from "zod";
import { escapeMarkdown } from "../../../base/markdown-text.ts";
import { nearestNames } from "../../../base/text/nearest-name.ts";
import { failed, type Outcome } from "../../../core/values/failure.ts";
import { channelName, ownNamespace, skillId } from "../../services/shapes.ts";
import { type SkillListing, skillDetail, skillList, skillListing } from "../../services/skill-listing.ts";
import { noSuchSkill } from "../../services/skill-service.ts";
import { mayChangeSettings, settingsNote } from "../channels.ts";
import { type ChatForm, managers, type OperationCall, operation, said } from "../operation.ts";
import { listed, placeWords } from "../words.ts";
import { oneSkill, skillOption, whichSkill } from "./find-skill.ts";
import { brokenLines, skillDetailText, skillListText } from "./skill-text.ts";

export const listSkills = operation({
  name: "skill.list",
  input: z.object({
    namespace: ownNamespace,
    category: z.string().min(1).max(100).optional(),
    query: z.string().max(500).optional().describe("only skills that fit these words, best first"),
  }),
  output: skillList,
  who: "anyone",
  http: {
    route: "GET /skills",
    summary: "All skills, as they are in a channel",
    answers: "skills, and what could not be loaded",
  },
  chat: {
    command: "skill list",
    description: "Shows the skills of this channel",
    options: [{ name: "words", description: "Only skills that fit these words, best first" }],
    read: (words, { namespace }) => ({ namespace, query: words.slice(0, 500) || undefined }),
  },
  commandLine: { command: "skills list" },
  text({ skills, diagnostics }, { query }, reading) {
    if (skills.length > 0) return skillListText(skills, query === undefined ? diagnostics : [], reading);
    if (query !== undefined) return `No skill fits “${escapeMarkdown(query)}”. \`/skill list\` shows all.`;
    return ["There are no skills.", ...brokenLines(diagnostics, reading.whole)].join("\n");
  },
  async run({ input: { namespace, category, query }, services }) {
    const filter = { category, query: query || undefined };
    return { ok: true, value: await services.skills.list(namespace, filter) };
  },
});

export const showSkill = operation({
  name: "skill.show",
  input: z.object({ id: skillId, namespace: ownNamespace }),
  output: skillDetail,
  who: "anyone",
  http: {
    route: "GET /skills/{id}",
    summary: "One skill: its parameters, tools and files, and whether it can be used",
    answers: "the skill",
  },
  chat: {
    ...oneSkill,
    command: "skill info",
    description: "Shows one skill, its parameters, and why it can or cannot be used",
  },
  commandLine: { command: "skills info <id>" },
  text: (skill, _input, reading) => skillDetailText(skill, reading),
  async run({ input: { id, namespace }, services, command }) {
    const skill = await services.skills.detail(id, namespace);
    if (skill !== undefined) return { ok: true, value: skill };
    const near = nearestNames(id, await services.skills.ids(namespace));
    return noSuchSkill(
      id,
      near,
      command === undefined ? "`knack skills list` and `/skill list` show" : undefined,
    );
  },
});

const states = z
  .enum(["pinned", "blocked", "available"])
  .describe("pinned enables, blocked disables, available resets");

interface SkillChange {
  ns: string;
  id: string;
  state: z.output<typeof states>;
}

/** Command, description, answer and audit texts of each state. */
const changes = {
  pinned: {
    verb: "enable",
    description: "Activates a skill here and pins it: the agent cannot put it away",
    done: (id: string, where: string) => `**${id}** is enabled ${where}.`,
    noted: ["skill_enabled", "enabled"],
  },
  blocked: {
    verb: "disable",
    description: "Blocks a skill here: the agent cannot use it",
    done: (id: string, where: string) => `**${id}** is disabled ${where}.`,
    noted: ["skill_disabled", "disabled"],
  },
  available: {
    verb: "reset",
    description: "Leaves a skill to the agent again",
    done: (id: string) => `**${id}** is left to the agent again: it activates it when it needs it.`,
    noted: ["skill_reset", "left to the agent:"],
  },
} as const;

export const setSkill = operation({
  name: "skill.set",
  input: z.object({ ns: channelName, id: skillId, state: states }),
  output: skillListing,
  who: managers(
    "Only managers of this channel may enable or disable skills here. Ask one of them. Your direct messages with the bot have skills of their own.",
  ),
  http: {
    route: "PUT /namespaces/{ns}/skills/{id}",
    summary: "Enable, disable or reset a skill in a channel",
    answers: "the skill as it is now",
  },
  chat: states.options.map(
    (state): ChatForm<SkillChange, SkillListing> => ({
      command: `skill ${changes[state].verb}`,
      public: true,
      description: changes[state].description,
      options: [skillOption],
      read: (words, { namespace }) => (words === "" ? undefined : { ns: namespace, id: words, state }),
      missing: whichSkill,
      async say({ id }, call) {
        const warning = state === "pinned" ? await dangerOf(id, call) : "";
        return said(`${changes[state].done(id, placeWords(call.input.ns))}${warning}`);
      },
    }),
  ),
  run: async ({ input: { ns, id, state }, asker, services }) => services.skills.set(ns, id, state, asker.by),
  audit({ id }, { input }) {
    const [action, words] = changes[input.state].noted;
    return { action, subject: id, detail: `${words} **${id}**` };
  },
});

/** A warning about dangerous findings of the review, for a skill that is being enabled. */
async function dangerOf(id: string, { input, services }: OperationCall<SkillChange>): Promise<string> {
  const detail = await services.skills.detail(id, input.ns);
  const danger = detail?.package?.danger ?? 0;
  if (danger === 0) return "";
  const places = danger === 1 ? "a dangerous place" : `${danger} dangerous places`;
  return ` Its review found ${places}: read \`/skill review ${id}\`, or take it back with \`/skill reset ${id}\`.`;
}

export const limitSkills = operation({
  name: "skill.limit",
  input: z.object({ ids: z.array(skillId).max(1000).nullable().describe("null lifts the limit") }),
  output: z.object({ allowed_skills: z.array(z.string()).optional() }),
  who: { decide: mayLimit },
  about: "asker",
  chat: {
    command: "skill only",
    public: true,
    description: "Limits this channel to some skills, or lifts the limit",
    options: [
      { ...skillOption, description: "The id of the skill to keep, or `all` to lift the limit" },
      {
        name: "others",
        description: "The ids of more skills to keep, separated by spaces",
        usage: "[<skill> …] | all",
      },
    ],
    read(words) {
      const ids = listed(words);
      return ids.length === 0 ? undefined : { ids: ids.includes("all") ? null : ids };
    },
    missing: "Which skills? Name them, or `all`.",
  },
  text: ({ allowed_skills: allowed }) =>
    allowed === undefined ? "All skills may be used here." : `Only ${allowed.join(", ")} may be used here.`,
  async run({ input: { ids }, asker, services }) {
    const changed = await services.changeSettings(asker.namespace, { allowed_skills: ids }, asker.by);
    return changed.ok ? { ok: true, value: changed.value.settings } : changed;
  },
  audit: (_output, { input: { ids }, asker }) => settingsNote({ allowed_skills: ids }, asker.namespace),
});

async function mayLimit({
  input: { ids },
  asker: { by, namespace },
  services,
}: OperationCall<{ ids: string[] | null }>): Promise<Outcome<unknown>> {
  const known = new Set(await services.skills.ids(namespace));
  const unknown = ids?.filter((id) => !known.has(id)) ?? [];
  if (unknown.length === 0) return mayChangeSettings(by, namespace);
  return failed(404, `There is no skill called ${unknown.join(", ")}. \`/skill list\` shows what there is.`);
}

export const reloadSkills = operation({
  name: "skill.reload",
  input: z.object({}),
  output: skillList,
  who: {
    least: "operator",
    refusal:
      "Only operators of the bot may reload skills. Changed files are seen by the next message without a reload.",
  },
  chat: {
    command: "skill reload",
    description: "Reads the skill folders again and shows what could not be loaded",
    read: () => ({}),
  },
  text({ skills, diagnostics }) {
    const done = `${skills.length} skills. Changed files are seen by the next message without a reload.`;
    return [done, ...brokenLines(diagnostics, true)].join("\n");
  },
  run: async ({ asker, services }) => ({ ok: true, value: await services.skills.list(asker.namespace) }),
});
