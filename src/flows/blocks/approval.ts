import { z } from "zod";
import { notApproved } from "../../core/decisions/not-approved.ts";
import { jsonSchema } from "../../core/values/json-schema.ts";
import { defineControl } from "../block.ts";
import { resolve, substitute, withoutVariables } from "../substitute.ts";

const config = z.object({
  question: z.string().trim().min(1, "it is missing"),
  action: z
    .string()
    .nullish()
    .transform((action) => action?.trim() || undefined),
  input: jsonSchema.nullish(),
  approver: z.enum(["manager", "operator"]).nullish(),
  else: z.array(z.unknown()).nullish(),
});

/**
 * Lets people approve the following steps. After a refusal the flow stops and names the person; with `else`, those steps run instead of
 * the rest of the block's list.
 */
export const approval = defineControl({
  config,
  summary: ({ approver }) => `Asking ${approver === "operator" ? "an operator" : "a manager"} for approval`,
  branches: (made) => (made.else ? [["else", made.else]] : []),
  async run(made, { title, shown, context, record, run }) {
    const decided = await context.approve({
      action: made.action ?? title,
      label: `${title}: ${withoutVariables(made.question)}`,
      question: substitute(made.question, shown),
      input: resolve(made.input ?? {}, shown) ?? {},
      approver: made.approver ?? "manager",
    });
    const { approved, by } = decided;
    const result = { approved, by };
    await record(result);
    if (approved) return { kind: "result", result };
    if (made.else) {
      const ran = await run("else");
      return ran.kind === "direct" ? ran : { kind: "skip", result };
    }
    throw notApproved(decided, { so: "the next steps did not run" });
  },
  describe: (made, { variables }) => ({
    asks: substitute(made.question, variables),
    shows: resolve(made.input ?? {}, variables) ?? {},
    who: made.approver ?? "manager",
    if_refused: made.else ? "the steps of else, then the rest of this list is left out" : "the flow stops",
  }),
});
