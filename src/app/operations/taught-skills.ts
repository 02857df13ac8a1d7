import { z } from "zod";
import { escapeMarkdown } from "../../base/markdown-text.ts";
import { currentVersion, type TaughtSkill, type TaughtVersion } from "../../core/skill/taught-skills.ts";
import type { Outcome } from "../../core/values/failure.ts";
import { mayManage, mayOperate } from "../../core/values/inbound.ts";
import { milliseconds, ownNamespace, skillId } from "../services/shapes.ts";
import type { SkillDetail } from "../services/skill-listing.ts";
import type { TeachingService } from "../services/teaching.ts";
import { commandHelp } from "./command-help.ts";
import { skillOption, whichSkill } from "./find-skill.ts";
import { type OperationCall, operation, said, shown, type Terminal } from "./operation.ts";
import type { Services } from "./services.ts";
import { placeWords } from "./words.ts";

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

const shares = ["nobody", "others", "everyone"] as const;
type Share = (typeof shares)[number];
const standing = z.object({ id: z.string(), home: z.string(), version: z.number(), hash: z.string() });

interface FoundSkill {
  skill: TaughtSkill;
  taught: NonNullable<SkillDetail["taught"]>;
  teaching: TeachingService;
}

/** A skill that people made, as far as this channel may know of it. */
async function findTaught(
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
  return { ok: false, status: 404, message: `${what} \`/skill list\` shows what there is.` };
}

type Asked = OperationCall<{ id: string; namespace: string }>;

/** Managers of the channel that made a skill decide about it, and operators where all channels have it. */
async function mayReplace({
  input: { id, namespace },
  asker: { by },
  services,
}: Asked): Promise<Outcome<unknown>> {
  const found = await findTaught(id, namespace, services);
  if (!found.ok || mayOperate(by)) return found;
  const { skill, taught } = found.value;
  const refuse = (message: string) => ({ ok: false, status: 403, message }) as const;
  if (taught.everyone)
    return refuse(
      `All channels have ${skill.id}, so only operators of the bot may change it. Ask one of them.`,
    );
  if (mayManage(by, skill.home)) return found;
  return refuse("Only managers of the channel that made the skill may do this. Ask one of them.");
}

async function mayShare(call: Asked & { input: { with: Share } }): Promise<Outcome<unknown>> {
  const { by } = call.asker;
  if (call.input.with !== "everyone" || mayOperate(by)) return mayReplace(call);
  const message = `Only operators of the bot may give a skill to all channels. Offer it: \`/skill share ${call.input.id} others\`.`;
  return { ok: false, status: 403, message };
}

function standingOf(skill: TaughtSkill): z.output<typeof standing> {
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
  chat: [
    {
      command: "skill history",
      description: "Shows the versions of a skill that was made here",
      options: [skillOption],
      read: (words, { namespace }) => (words === "" ? undefined : { id: words, namespace }),
      missing: whichSkill,
      say: ({ id, current, versions }) =>
        shown(
          [
            ...versions.toReversed().map((version) => versionLine(version, current)),
            `\`/skill restore ${id} NUMBER\` goes back to an earlier one.`,
          ].join("\n"),
        ),
    },
  ],
  commandLine: [
    {
      help: commandHelp["skills history"],
      print: ({ current, versions }, { plain, bold }) =>
        versions.toReversed().map((version) => {
          const line = plain(versionLine(version, current).slice(2).replaceAll("**", ""));
          return version.number === current ? bold(line) : line;
        }),
    },
  ],
  async run({ input: { id, namespace }, asker, services }) {
    const found = await findTaught(id, namespace, services);
    if (!found.ok) return found;
    const { skill } = found.value;
    const seesAll = skill.home === namespace || mayOperate(asker.by);
    const seen = seesAll ? skill.versions : [currentVersion(skill)];
    return {
      ok: true,
      value: {
        id: skill.id,
        home: skill.home,
        current: skill.current,
        versions: seen.map(({ made_by: _, ...rest }) => rest),
      },
    };
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
  input: z.object({ id: skillId, namespace: ownNamespace, version: z.coerce.number().int().positive() }),
  output: standing,
  who: { decide: mayReplace },
  http: {
    route: "POST /skills/{id}/restore",
    summary: "Use an earlier version of a skill that was made in the chat",
    answers: "the version in use",
  },
  chat: [
    {
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
      say: ({ id, version }) => said(`**${id}** is version ${version} again.`),
    },
  ],
  commandLine: [{ help: commandHelp["skills restore"], print: standingLine }],
  async run({ input: { id, namespace, version }, asker, services }) {
    const found = await findTaught(id, namespace, services);
    if (!found.ok) return found;
    const { skill, teaching } = found.value;
    const restored = await teaching.restore(skill.id, version, asker.by);
    return restored.ok ? { ok: true, value: standingOf(restored.value) } : restored;
  },
  audit: ({ id, version }) => ({
    action: "skill_restored",
    subject: id,
    detail: `went back to version ${version} of **${id}**`,
  }),
});

export const shareSkill = operation({
  name: "taught.share",
  input: z.object({
    id: skillId,
    namespace: ownNamespace,
    with: z
      .enum(shares)
      .describe(
        "others: managers of other channels may take it; everyone: all channels have it, for operators",
      ),
  }),
  output: standing,
  who: { decide: mayShare },
  http: {
    route: "POST /skills/{id}/share",
    summary: "Offer a skill that was made in the chat to other channels, or give it to all",
    answers: "the version in use",
  },
  chat: [
    {
      command: "skill share",
      public: true,
      description: "Offers a skill that was made here to other channels",
      options: [
        skillOption,
        {
          name: "with",
          description: "Who may have it",
          required: true,
          choices: [
            { text: "others", description: "managers of other channels may take it" },
            { text: "everyone", description: "all channels have it; only operators may decide that" },
            { text: "nobody", description: "no other channel may take it any more" },
          ],
        },
      ],
      read(words, { namespace }) {
        const [id = "", who = ""] = words.split(/\s+/);
        const wanted = shares.find((each) => each === who);
        return wanted === undefined ? undefined : { id, namespace, with: wanted };
      },
      missing: "Which skill, and with whom: `others`, `everyone` or `nobody`?",
      say: ({ id }, { input }) => said(sharedTexts[input.with](id)),
    },
  ],
  commandLine: [{ help: commandHelp["skills share"], print: standingLine }],
  async run({ input: { id, namespace, with: who }, services }) {
    const found = await findTaught(id, namespace, services);
    if (!found.ok) return found;
    const { skill, teaching } = found.value;
    await teaching.share(skill.id, { offered: who === "others", everyone: who === "everyone" });
    return { ok: true, value: standingOf(skill) };
  },
  audit: ({ id, hash }, { input }) => ({
    action: "skill_shared",
    subject: id,
    detail: `shared **${id}** (${hash.slice(0, 12)}) with ${input.with}`,
  }),
});

const sharedTexts: Record<Share, (id: string) => string> = {
  others: (id) =>
    `Managers of other channels see **${id}** in their list now, and may take it with \`/skill take ${id}\`.`,
  everyone: (id) => `All channels have **${id}** now, with this text. Only operators change it from now on.`,
  nobody: (id) =>
    `**${id}** is offered to nobody any more. Channels that have taken it keep it until it changes.`,
};

export const takeSkill = operation({
  name: "taught.take",
  input: z.object({ id: skillId, namespace: ownNamespace }),
  output: standing,
  who: {
    async decide({ input: { namespace }, asker: { by } }) {
      if (mayManage(by, namespace)) return { ok: true, value: undefined };
      const message = "Only managers of this channel may take skills of others. Ask one of them.";
      return { ok: false, status: 403, message };
    },
  },
  http: {
    route: "POST /skills/{id}/take",
    summary: "Take a skill that another channel made and offers, as its text is now",
    answers: "the version taken",
  },
  chat: [
    {
      command: "skill take",
      public: true,
      description: "Takes a skill that another channel offers, as it is now",
      options: [skillOption],
      read: (words, { namespace }) => (words === "" ? undefined : { id: words, namespace }),
      missing: whichSkill,
      say: ({ id, version }, { input }) =>
        said(
          `**${id}** can be used ${placeWords(input.namespace)} now (version ${version}). If it changes there, take it again.`,
        ),
    },
  ],
  commandLine: [{ help: commandHelp["skills take"], print: standingLine }],
  async run({ input: { id, namespace }, asker, services }) {
    const found = await findTaught(id, namespace, services);
    if (!found.ok) return found;
    const { skill, teaching } = found.value;
    await teaching.take(skill, namespace, asker.by);
    return { ok: true, value: standingOf(skill) };
  },
  audit: ({ id, home, hash }) => ({
    action: "skill_taken",
    subject: id,
    detail: `took **${id}** (${hash.slice(0, 12)}) of \`${home}\``,
  }),
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
  chat: [
    {
      command: "skill discard",
      public: true,
      description: "Removes a skill that was made here, with its versions",
      options: [skillOption],
      read: (words, { namespace }) => (words === "" ? undefined : { id: words, namespace }),
      missing: whichSkill,
      say: ({ id }) => said(`**${id}** is gone, with all its versions.`),
    },
  ],
  commandLine: [{ help: commandHelp["skills discard"], print: standingLine }],
  async run({ input: { id, namespace }, services }) {
    const found = await findTaught(id, namespace, services);
    if (!found.ok) return found;
    const { skill, teaching } = found.value;
    await teaching.remove(skill.id);
    return { ok: true, value: standingOf(skill) };
  },
  audit: ({ id }) => ({ action: "skill_discarded", subject: id, detail: `discarded **${id}**, made here` }),
});

function standingLine({ id, version, home }: z.output<typeof standing>, { plain, bold }: Terminal): string[] {
  return [`${bold(id)}  version ${version}, made in ${plain(home)}`];
}
