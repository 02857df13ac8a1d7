import { z } from "zod";
import { failed, type Outcome } from "../../../core/values/failure.ts";
import { mayManage, mayOperate } from "../../../core/values/inbound.ts";
import { ownNamespace, skillId } from "../../services/shapes.ts";
import { auditNote, operation } from "../operation.ts";
import { placeWords } from "../words.ts";
import { oneSkill, skillOption } from "./find-skill.ts";
import { type Asked, findTaught, mayReplace, standing, standingOf } from "./taught-skills.ts";

/** Who has a skill that was made in the chat, besides the channel that made it. */

const shares = ["nobody", "others", "everyone"] as const;
type Share = (typeof shares)[number];

async function mayShare(call: Asked & { input: { with: Share } }): Promise<Outcome<unknown>> {
  const { by } = call.asker;
  if (call.input.with !== "everyone" || mayOperate(by)) return mayReplace(call);
  const message = `Only operators of the bot may give a skill to all channels. Offer it: \`/skill share ${call.input.id} others\`.`;
  return failed(403, message);
}

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
  chat: {
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
  },
  commandLine: { command: "skills share <id> <with>" },
  text: ({ id }, input) => sharedTexts[input.with](id),
  async run({ input: { id, namespace, with: who }, services }) {
    const found = await findTaught(id, namespace, services);
    if (!found.ok) return found;
    const { skill, teaching } = found.value;
    await teaching.share(skill.id, { offered: who === "others", everyone: who === "everyone" });
    return { ok: true, value: standingOf(skill) };
  },
  audit: ({ id, hash }, { input }) =>
    auditNote("skill_shared", id, `shared **${id}** (${hash.slice(0, 12)}) with ${input.with}`),
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
      return failed(403, "Only managers of this channel may take skills of others. Ask one of them.");
    },
  },
  http: {
    route: "POST /skills/{id}/take",
    summary: "Take a skill that another channel made and offers, as its text is now",
    answers: "the version taken",
  },
  chat: {
    ...oneSkill,
    command: "skill take",
    public: true,
    description: "Takes a skill that another channel offers, as it is now",
  },
  commandLine: { command: "skills take <id>" },
  text: ({ id, version }, { namespace }) =>
    `**${id}** can be used ${placeWords(namespace)} now (version ${version}). If it changes there, take it again.`,
  async run({ input: { id, namespace }, asker, services }) {
    const found = await findTaught(id, namespace, services);
    if (!found.ok) return found;
    const { skill, teaching } = found.value;
    await teaching.take(skill, namespace, asker.by);
    return { ok: true, value: standingOf(skill) };
  },
  audit: ({ id, home, hash }) =>
    auditNote("skill_taken", id, `took **${id}** (${hash.slice(0, 12)}) of \`${home}\``),
});
