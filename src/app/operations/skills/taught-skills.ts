import { z } from "zod";
import { escapeMarkdown } from "../../../base/markdown-text.ts";
import { currentVersion, type TaughtSkill, type TaughtVersion } from "../../../core/skill/taught-skills.ts";
import { failed, type Outcome } from "../../../core/values/failure.ts";
import { mayManage, mayOperate } from "../../../core/values/inbound.ts";
import { milliseconds, ownNamespace, skillId } from "../../services/shapes.ts";
import type { SkillDetail } from "../../services/skill-listing.ts";
import type { TeachingService } from "../../services/teaching.ts";
import { auditNote, type OperationCall, operation } from "../operation.ts";
import type { Services } from "../services.ts";
import { oneSkill, skillOption } from "./find-skill.ts";

/** Skills that were made in the chat: their versions, and who has them. They are made by the agent, with the skill `skill-maker`. */

const person = z.object({ by: z.string().describe("id of the person"), name: z.string() });

const versions = z.object({
  id: z.string(),
  home: z.string().describe("the channel that made it"),
  current: z.number().describe("the number of the version in use"),
  versions: z
    .array(
      z.object({
        number: z.number(),
        text: z.string(),
        hash: z.string(),
        why: z.string(),
        asked: person,
        accepted: person,
        at: milliseconds,
        checks: z.array(z.object({ turn_id: z.string(), request: z.string(), tools: z.array(z.string()) })),
      }),
    )
    .describe("oldest first; in other channels than its home only the one in use"),
});

export const standing = z.object({ id: z.string(), home: z.string(), version: z.number(), hash: z.string() });

interface FoundSkill {
  skill: TaughtSkill;
  taught: NonNullable<SkillDetail["taught"]>;
  teaching: TeachingService;
}

/** A skill that people made, as far as this channel may know of it. */
export async function findTaught(
  id: string,
  namespace: string,
  { teaching, skills }: Services,
): Promise<Outcome<FoundSkill>> {
  const detail = await skills.detail(id, namespace);
  const skill = detail === undefined ? undefined : await teaching?.get(detail.id);
  if (skill !== undefined && teaching !== undefined && detail?.taught !== undefined)
    return { ok: true, value: { skill, teaching, taught: detail.taught } };
  const what =
    detail === undefined ? `There is no skill called ${id} here.` : `${detail.id} was not made in the chat.`;
  return failed(404, `${what} \`/skill list\` shows what there is.`);
}

export type Asked = OperationCall<{ id: string; namespace: string }>;

/** Managers of the channel that made a skill decide about it, and operators where all channels have it. */
export async function mayReplace({
  input: { id, namespace },
  asker: { by },
  services,
}: Asked): Promise<Outcome<unknown>> {
  const found = await findTaught(id, namespace, services);
  if (!found.ok || mayOperate(by)) return found;
  const { skill, taught } = found.value;
  if (!taught.everyone && mayManage(by, skill.home)) return found;
  const message = taught.everyone
    ? `All channels have ${skill.id}, so only operators of the bot may change it. Ask one of them.`
    : "Only managers of the channel that made the skill may do this. Ask one of them.";
  return failed(403, message);
}

export function standingOf(skill: TaughtSkill): z.output<typeof standing> {
  const { number, hash } = currentVersion(skill);
  return { id: skill.id, home: skill.home, version: number, hash };
}

export const showHistory = operation({
  name: "taught.history",
  input: z.object({ id: skillId, namespace: ownNamespace }),
  output: versions,
  who: "anyone",
  http: {
    route: "GET /skills/{id}/history",
    summary: "The versions of a skill that was made in the chat",
    answers: "its versions, with the tests of each",
  },
  chat: {
    ...oneSkill,
    command: "skill history",
    description: "Shows the versions of a skill that was made here",
  },
  commandLine: { command: "skills history <id>" },
  text: ({ id, current, versions }) =>
    [
      ...versions.toReversed().map((version) => versionLine(version, current)),
      `\`/skill restore ${id} NUMBER\` goes back to an earlier one.`,
    ].join("\n"),
  async run({ input: { id, namespace }, asker, services }) {
    const found = await findTaught(id, namespace, services);
    if (!found.ok) return found;
    const { skill } = found.value;
    const { home, current } = skill;
    const seesAll = home === namespace || mayOperate(asker.by);
    const seen = seesAll ? skill.versions : [currentVersion(skill)];
    const versions = seen.map(({ made_by: _, ...rest }) => rest);
    return { ok: true, value: { id: skill.id, home, current, versions } };
  },
});

function versionLine(
  { number, at, why, accepted }: Pick<TaughtVersion, "number" | "at" | "why" | "accepted">,
  current: number,
): string {
  const day = new Date(at).toISOString().slice(0, 10);
  const use = number === current ? " (in use)" : "";
  return `- **${number}**${use} ${day}, accepted by ${escapeMarkdown(accepted.name)}: ${escapeMarkdown(why)}`;
}

export const restoreVersion = operation({
  name: "taught.restore",
  input: z.object({
    id: skillId,
    namespace: ownNamespace,
    version: z.coerce.number().int().positive().describe("its number in the history"),
  }),
  output: standing,
  who: { decide: mayReplace },
  http: {
    route: "POST /skills/{id}/restore",
    summary: "Use an earlier version of a skill that was made in the chat",
    answers: "the version in use",
  },
  chat: {
    command: "skill restore",
    public: true,
    description: "Goes back to an earlier version of a skill that was made here",
    options: [
      skillOption,
      { name: "version", description: "Its number, from /skill history", required: true, type: "number" },
    ],
    read(words, { namespace }) {
      const [id = "", version = ""] = words.split(/\s+/);
      return /^\d+$/.test(version) ? { id, namespace, version: Number(version) } : undefined;
    },
    missing: "Which skill, and which version? `/skill history SKILL` shows them.",
  },
  commandLine: { command: "skills restore <id> <version>" },
  text: ({ id, version }) => `**${id}** is version ${version} again.`,
  async run({ input: { id, namespace, version }, asker, services }) {
    const found = await findTaught(id, namespace, services);
    if (!found.ok) return found;
    const { skill, teaching } = found.value;
    const restored = await teaching.restore(skill.id, version, asker.by);
    return restored.ok ? { ok: true, value: standingOf(restored.value) } : restored;
  },
  audit: ({ id, version }) => auditNote("skill_restored", id, `went back to version ${version} of **${id}**`),
});

export const discardSkill = operation({
  name: "taught.discard",
  input: z.object({ id: skillId, namespace: ownNamespace }),
  output: standing,
  who: { decide: mayReplace },
  http: {
    route: "POST /skills/{id}/discard",
    summary: "Remove a skill that was made in the chat, with all versions, everywhere",
    answers: "what was removed",
  },
  chat: {
    ...oneSkill,
    command: "skill discard",
    public: true,
    description: "Removes a skill that was made here, with its versions",
  },
  commandLine: { command: "skills discard <id>" },
  text: ({ id }) => `**${id}** is gone, with all its versions.`,
  async run({ input: { id, namespace }, services }) {
    const found = await findTaught(id, namespace, services);
    if (!found.ok) return found;
    const { skill, teaching } = found.value;
    await teaching.remove(skill.id);
    return { ok: true, value: standingOf(skill) };
  },
  audit: ({ id }) => auditNote("skill_discarded", id, `discarded **${id}**, made here`),
});
