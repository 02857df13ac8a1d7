import path from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { unlessAborted } from "../base/time-limit.ts";
import { SkillFailure } from "../core/skill/define-skill.ts";
import { ProgramError, type ProgramRunner } from "../core/skill/programs.ts";
import { isInstalled, type Skill } from "../core/skill/skill.ts";
import { type Json, withTexts } from "../core/values/json.ts";
import { jsonSchema } from "../core/values/json-schema.ts";

interface CodeRequest {
  variables: { [name: string]: Json };
  signal: AbortSignal;
  /** Called with each line of `console.log`. */
  onText(line: string): void;
}

/** Runs code of a flow in a process of its own. @throws SkillFailure when the code fails; the signal's reason */
export type RunCode = (code: string, request: CodeRequest) => Promise<Json>;

const answerSchema = z.object({ result: jsonSchema.default(null), error: z.string().optional() });
const module = fileURLToPath(new URL("./inside/run-code.ts", import.meta.url));

/** Without `programs`, all code fails with the message that there is no sandbox. */
export function createCodeRunner(programs: ProgramRunner | undefined, skill: Skill): RunCode {
  // The folder of a flow also has other flows with their secrets, so code sees the folder of this program instead. That folder belongs to
  // the bot and was not installed; the loader has compared the text of the flow with the installed text.
  const source = isInstalled(skill) ? "flow" : skill.origin.source;
  const alone: Skill = { ...skill, origin: { ...skill.origin, source, path: path.dirname(module) } };
  return async (code, { variables, signal, onText }) => {
    if (programs === undefined) throw refused("Code of flows cannot run here: there is no sandbox.");
    const verdict = await programs.allows(skill);
    if (!verdict.ok) throw refused(verdict.reason);
    const { promise, resolve, reject } = Promise.withResolvers<Json>();
    // The program may end before anybody waits for its result.
    promise.catch(() => undefined);
    const fail = (reason: string) =>
      reject(new SkillFailure("code_failed", `The code failed: ${reason}`, "Correct the code in the flow."));
    const onMessage = (message: Json) => {
      const answer = answerSchema.safeParse(message).data;
      if (answer?.error !== undefined) fail(answer.error);
      else if (answer !== undefined) resolve(answer.result);
    };
    const program = await programs
      .start({ skill: alone, module, env: {}, onMessage, onText, onEnd: ({ reason }) => fail(reason) })
      .catch((error: unknown) => {
        throw error instanceof ProgramError ? refused(error.message) : error;
      });
    try {
      program.send({ code, variables: withTexts(variables) });
      return await unlessAborted(signal, () => promise);
    } finally {
      program.kill();
    }
  };
}

function refused(reason: string): SkillFailure {
  return new SkillFailure("code_refused", reason, "Tell the person; an operator can change that.");
}
