import { z } from "zod";
import { notApproved } from "../../src/core/decisions/not-approved.ts";
import type { Draft, DryRun, Lesson } from "../../src/core/ports/teaching.ts";
import { defineSkill, SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";
import type { TeachingContext } from "../../src/core/skill/work-context.ts";
import { type Json, toJson } from "../../src/core/values/json.ts";

const filled = z.string().trim().min(1);
const parameters = z.object({
  text: z.string().min(1).max(60_000).describe("the whole SKILL.md, or the flow as JSON"),
  request: filled.max(2_000).describe("what somebody would write to have this done again, with its values"),
  why: filled.max(200).describe("one line for the manager: what it is for, or what changes"),
  changes: z.string().max(200).optional().describe("id of the skill made here that it replaces"),
});

/** Keeps a skill of the channel after a manager has accepted it. Running the same call again keeps it once. */
export const skill = defineSkill({
  title: "Writing a skill",
  description: "Checks and tries a skill that you wrote, and keeps it here once a manager agrees.",
  parameters,
  output: z.object({
    summary: z.string(),
    skill: z.string(),
    version: z.number(),
    kind: z.enum(["document", "flow"]),
    dry_run: z.array(z.string()),
    findings: z.array(z.string()),
  }),
  effect: "idempotent",
  async run(lesson, context) {
    const teaching = teachingOf(context);
    // Steps, so that what people accept is what was checked.
    const draft = await checked("check", teaching, lesson, context);
    const runs = (await context.step("dry run", async () =>
      toJson(await teaching.dryRun(draft)),
    )) as unknown as DryRun[];
    const decision = await context.approve(question(draft, runs));
    if (!decision.approved) throw notApproved(decision, { so: "nothing was kept" });
    const isEdited = decision.edited !== undefined && decision.edited !== draft.shown;
    const accepted = isEdited
      ? await checked("check what was edited", teaching, { ...lesson, text: decision.edited ?? "" }, context)
      : draft;
    if (draft.wider.length === 0 && accepted.wider.length > 0)
      throw new SkillFailure(
        "wider",
        `As it was edited, only an operator may accept it: ${accepted.wider.join(", ")}.`,
      );
    const { by, name = by } = decision;
    const kept = await teaching.keep(accepted, { by, name, checks: checksOf(draft, runs) });
    if (!kept.ok) throw new SkillFailure("not_kept", kept.message, "Tell the person.");
    const { id, version } = kept.value;
    const done = version === 1 ? `${id} is a skill of this channel` : `${id} is changed (version ${version})`;
    return {
      summary: `${done}. Anyone here runs it by asking for it or with /skill run ${id}; /skill history ${id} shows its versions.`,
      skill: id,
      version,
      kind: draft.kind,
      dry_run: runs.map(inWords),
      findings: draft.findings,
    };
  },
});

/** @throws SkillFailure where no skills are made */
function teachingOf({ teaching }: ToolContext): TeachingContext {
  if (teaching !== undefined) return teaching;
  throw new SkillFailure("not_here", "This bot keeps no skills that are made in the chat.");
}

/** @throws SkillFailure with what to write instead */
async function checked(
  step: string,
  teaching: TeachingContext,
  lesson: Lesson,
  { step: runStep }: ToolContext,
): Promise<Draft> {
  const draft = await runStep(step, async () => {
    const found = await teaching.check(lesson);
    if (!found.ok)
      throw new SkillFailure(
        "not_a_skill",
        found.message,
        "Correct it and call again, or tell the person why it cannot be.",
      );
    return toJson(found.value);
  });
  return draft as unknown as Draft;
}

/** Maximum findings in a question; all are in the result. */
const maxFindings = 5;

function question(draft: Draft, runs: readonly DryRun[]): Parameters<ToolContext["approve"]>[0] {
  const { id, base, shown, why, kind, findings, wider } = draft;
  const isNew = base === undefined;
  const more = findings.length - maxFindings;
  const found = [...findings.slice(0, maxFindings), ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
  const input: { [key: string]: Json } = {
    skill_text: shown,
    why,
    kind:
      kind === "flow" ? "a flow: the same steps each time" : "a guide: the agent reads it and works by it",
    ...(runs.length === 0 ? {} : { tried: runs.map(inWords).join("\n") }),
    ...(found === "" ? {} : { review: found }),
  };
  return {
    action: "save_skill",
    key: "save",
    label: isNew ? "make a skill" : "change a skill",
    says: {
      deed: isNew ? `make “${id}” a skill of this channel` : `change the skill “${id}” of this channel`,
      quotes: "skill_text",
      ...(isNew ? { edits: true as const } : {}),
    },
    input,
    approver: wider.length > 0 ? "operator" : "manager",
    ...(wider.length === 0 ? {} : { reason: `An operator decides, because ${wider.join(", and ")}.` }),
  };
}

/** A dry run in one line for people. */
function inWords({ calls, missing, problem, request }: DryRun): string {
  const known = calls.filter(({ recorded }) => recorded).length;
  const others = [...new Set(calls.flatMap(({ tool, recorded }) => (recorded ? [] : tool)))];
  return [
    `“${request.slice(0, 80)}”: ${known} of ${calls.length} calls as recorded`,
    ...(others.length === 0 ? [] : [`other calls of ${others.join(", ")}`]),
    ...(missing.length === 0 ? [] : [`did not call ${missing.join(", ")}`]),
    ...(problem === undefined ? [] : [`did not end: ${problem}`]),
  ].join("; ");
}

/** What the thread showed is the test of the skill. */
function checksOf({ request }: Draft, [here]: readonly DryRun[]) {
  if (here === undefined) return [];
  const called = here.calls.flatMap(({ tool, recorded }) => (recorded ? tool : []));
  const tools = [...new Set([...called, ...here.missing])];
  return [{ turn_id: here.turn_id, request, tools }];
}
