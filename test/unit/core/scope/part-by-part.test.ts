import { expect, it } from "vitest";
import { ModelError } from "../../../../src/core/ports/model.ts";
import { partByPart } from "../../../../src/core/scope/generate.ts";
import { SkillFailure } from "../../../../src/core/skill/define-skill.ts";

/** Works on these parts, of which a number is how long it takes and an error is how it fails. */
async function worked(parts: readonly (number | Error)[], signal = new AbortController().signal) {
  let now = 0;
  const tried: number[] = [];
  const work = async (part: number | Error, at: number) => {
    tried.push(at);
    if (part instanceof Error) throw part;
    now += part;
    return `done ${at}`;
  };
  const context = { now: () => now, progress: () => {}, signal };
  const found = await partByPart(parts, { doing: "Reading", longest_ms: 10, work }, context);
  return { found, tried };
}

const down = new ModelError("unavailable", "away");
const poor = new SkillFailure("over_budget", "no money");

it.each<[string, (number | Error)[], (string | undefined)[]]>([
  ["a part that failed", [1, down, 1], ["done 0", undefined, "done 2"]],
  ["what there was no time for", [6, 6, 1, 1], ["done 0", "done 1", undefined, undefined]],
  ["what there was no money for", [1, poor, 1], ["done 0", undefined, undefined]],
  ["what comes after three failures", [1, down, down, down, 1], ["done 0", ...Array(4).fill(undefined)]],
])("work done part by part leaves out %s and keeps the rest", async (_name, parts, found) => {
  expect((await worked(parts)).found).toEqual(found);
});

it("work done part by part fails as the first part did when none succeeded", async () => {
  await expect(worked([down, poor])).rejects.toBe(down);
  expect((await worked([])).found).toEqual([]);
});

it("work done part by part ends with a stop and with a fault", async () => {
  const fault = new TypeError("a fault");
  await expect(worked([1, fault, 1])).rejects.toBe(fault);
  await expect(worked([1, down], AbortSignal.abort("stopped"))).rejects.toBe("stopped");
});
