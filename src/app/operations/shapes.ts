/** Shapes that several operations have in their input and output. Names are a contract: extend, never break. */
import { z } from "zod";

export const skillId = z
  .string()
  .min(1)
  .max(200)
  .describe("a skill's id; a part is skill#part, with # written as %23");

export const diagnostic = z.object({
  path: z.string(),
  skill_id: z.string().optional().describe("the skill it tells of, where one file holds several"),
  severity: z.enum(["error", "warning", "info"]),
  code: z.string(),
  message: z.string(),
});
