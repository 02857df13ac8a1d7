import { z } from "zod";
import { definePart } from "../../src/core/skill/define-skill.ts";
import { planning, show, shownPlanSchema, unwrap } from "./planned.ts";

const done = { pause: "Paused", resume: "Goes on", remove: "Removed" } as const;

/** Pauses, resumes or removes one; only who made it and managers may. */
export const change = definePart({
  title: "Changing what is planned",
  description: "Pauses, resumes or removes (stops, cancels) one that is planned here, by its id.",
  parameters: z.object({
    id: z.string().min(1).max(40),
    to: z.enum(["pause", "resume", "remove"]),
  }),
  output: z.object({ summary: z.string(), planned: shownPlanSchema }),
  effect: "idempotent",
  async run({ id, to }, context) {
    const view = unwrap(await planning(context).change(id, to));
    const next = to === "resume" && view.next.length > 0 ? ` Next: ${view.next.join(", ")}.` : "";
    return { summary: `${done[to]}: ${view.text}.${next}`, planned: show(view) };
  },
});
