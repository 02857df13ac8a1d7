import { z } from "zod";
import { defineBlock } from "../block.ts";

const config = z.object({
  code: z.string().trim().min(1, "it is missing").max(100_000),
  language: z
    .string()
    .nullish()
    .refine((language) => !language || /^(javascript|js)$/i.test(language), "only JavaScript can run"),
});

/**
 * Runs JavaScript in the sandbox without network: the body of an async function that gets the variables, except fixed ones, as
 * `variables` and returns JSON.
 */
export const code = defineBlock({
  config,
  summary: () => "Running code",
  run: ({ code: text }, { shown, context, code: run }) =>
    run(text, {
      variables: Object.fromEntries(shown),
      signal: context.signal,
      onText: (line) => context.progress(line),
    }),
  describe: ({ code: text }) => ({ code: text }),
});
