import path from "node:path";
import { z } from "zod";
import { inputProblems } from "../../app/operations/operation.ts";
import { isPattern, writtenPattern } from "../../base/pattern.ts";
import type { Replay } from "../../client/shapes.ts";
import { ConfigError } from "../../config/config-error.ts";
import { readConfigFile } from "../../config/config-file.ts";

/** What has to be true of the other model's answer. None of them compares the wording with the recorded answer. */
const check = z.union([
  z.strictObject({ called: z.string() }).describe("it called this tool"),
  z.strictObject({ not_called: z.string() }).describe("it did not call this tool, whose effect is unwanted"),
  z.strictObject({ contains: z.string().min(1) }).describe("the answer contains this text, in any case"),
  z.strictObject({ matches: z.string().refine(isPattern, "not a regular expression") }),
  z.strictObject({ cost_below_usd: z.number().positive() }),
]);
type Check = z.output<typeof check>;

const suite = z.strictObject({
  turns: z
    .array(z.strictObject({ id: z.string().min(1), checks: z.record(z.string().min(1), check).default({}) }))
    .min(1),
});

/** Turns to be replayed, each with its checks by name. */
export type ReplaySuite = z.output<typeof suite>;

const hint = "docs/watching.md shows a suite";

/** The folder of suites, relative to the folder that the command runs in. */
const folder = path.join("config", "replays");

/**
 * Reads the suite `config/replays/TAG.yaml`.
 * @throws ConfigError when it cannot be read or is not valid
 */
export async function readSuite(tag: string, cwd: string): Promise<ReplaySuite> {
  const file = path.join(cwd, folder, `${tag}.yaml`);
  const { values } = await readConfigFile(file, cwd, hint);
  const read = suite.safeParse(values);
  if (read.success) return read.data;
  throw new ConfigError([
    { where: path.join(folder, `${tag}.yaml`), key: "", message: inputProblems(read.error), hint },
  ]);
}

/** Why the answer does not pass a check; undefined if it does. */
export function failureOf(wanted: Check, { replayed }: Pick<Replay, "replayed">): string | undefined {
  const { text, calls, usage } = replayed;
  const called = (tool: string) => calls.some((call) => call.tool === tool);
  if ("called" in wanted) return called(wanted.called) ? undefined : `${wanted.called} was not called`;
  if ("not_called" in wanted)
    return called(wanted.not_called) ? `${wanted.not_called} was called` : undefined;
  if ("contains" in wanted)
    return text.toLowerCase().includes(wanted.contains.toLowerCase())
      ? undefined
      : `${wanted.contains} is missing`;
  if ("matches" in wanted)
    // In the process of the command.
    return writtenPattern(wanted.matches)?.test(text) ? undefined : `${wanted.matches} does not match`;
  if (usage.cost_usd === undefined || usage.unpriced_tokens > 0) return "the model has no price";
  return usage.cost_usd < wanted.cost_below_usd ? undefined : `it cost $${usage.cost_usd}`;
}
