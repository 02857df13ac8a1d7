import { z } from "zod";
import { hookKinds, type TriggerCondition } from "../../src/core/ports/schedule.ts";
import { definePart, SkillFailure } from "../../src/core/skill/define-skill.ts";
import { planned, show, shownPlanSchema } from "./planned.ts";

const parameters = z.object({
  on: z.enum(["message", "reaction", "quiet", "webhook"]),
  text: z.string().trim().min(1).max(4_000).describe("what is to be done then"),
  words: z.string().max(300).optional().describe('of a message: "deploy failed" or deploy*'),
  emoji: z.string().max(100).optional().describe("name and character: eyes 👀"),
  by_me: z.boolean().optional().describe("only reactions of the person who asks"),
  hours: z.number().min(0.25).max(336).optional().describe("without an answer"),
  here: z.boolean().optional().describe("quiet: this thread only, once"),
  kind: z.enum(hookKinds).optional().describe("of a webhook: who sends it"),
});

/** Plans what is done when something happens. */
export const addTrigger = definePart({
  title: "Setting a trigger",
  description:
    "Does something whenever a message or reaction comes here, a thread stays without an answer, or a webhook is called.",
  parameters,
  output: z.object({ summary: z.string(), planned: shownPlanSchema }),
  effect: "idempotent",
  async run({ text, ...asked }, context) {
    const condition = conditionOf(asked, context.user.id);
    const view = await planned(context, { what: "trigger", text, condition });
    const secret =
      view.address === undefined
        ? ""
        : " Its secret was sent to the person alone, or is made with `knack schedule secret` where nobody can be written to alone.";
    return { summary: `Set: ${view.when}.${secret}`, planned: show(view) };
  },
});

/** @throws SkillFailure for what is missing */
function conditionOf(
  { on, words = "", emoji = "", by_me, hours, here = false, kind }: Omit<z.output<typeof parameters>, "text">,
  me: string,
): TriggerCondition {
  switch (on) {
    case "webhook":
      return { on, kind };
    case "message":
      return { on, words: given(words, "words") };
    case "reaction":
      return { on, emoji: given(emoji, "emoji"), ...(by_me ? { by: me } : {}) };
    case "quiet":
      if (hours === undefined) throw missing("hours");
      return { on, hours, here };
    default:
      return on satisfies never;
  }
}

function given(text: string, name: string): string {
  if (text.trim() === "") throw missing(name);
  return text.trim();
}

function missing(name: string): SkillFailure {
  return new SkillFailure("missing", `This trigger needs \`${name}\`.`);
}
