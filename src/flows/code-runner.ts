import path from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { SkillFailure } from "../core/skill/define-skill.ts";
import { ProgramError, type ProgramRunner, type RunningProgram } from "../core/skill/programs.ts";
import { isInstalled, type Skill } from "../core/skill/skill.ts";
import { type Json, withTexts } from "../core/values/json.ts";
import { jsonSchema } from "../core/values/json-schema.ts";

interface CodeRequest {
  variables: { [name: string]: Json };
  signal: AbortSignal;
  /** If undefined, only the signal ends the code. */
  timeout_ms: number | undefined;
  /** Called with each line of `console.log`. */
  onText(line: string): void;
}

/** Runs the code of one run of a flow, one piece after the other, in a separate process that starts with the first piece. */
export interface CodeRunner {
  /** @throws SkillFailure when the code fails; the signal's reason */
  run(code: string, request: CodeRequest): Promise<Json>;
  /** Ends the process. */
  close(): void;
}

const answerSchema = z.object({
  id: z.number(),
  result: jsonSchema.optional(),
  error: z.string().optional(),
});
const module = fileURLToPath(new URL("./inside/run-code.ts", import.meta.url));

interface Pending {
  id: number;
  settle(answer: { result?: Json | undefined; error?: string | undefined }): void;
  onText(line: string): void;
}

/** Without `programs`, all code fails with the message that there is no sandbox. */
export function createCodeRunner(programs: ProgramRunner | undefined, skill: Skill): CodeRunner {
  // The folder of a flow also has other flows with their secrets, so code sees the folder of this program instead. That folder belongs to
  // the bot and was not installed; the loader has compared the text of the flow with the installed text.
  const source = isInstalled(skill) ? "flow" : skill.origin.source;
  const alone: Skill = { ...skill, origin: { ...skill.origin, source, path: path.dirname(module) } };
  let program: RunningProgram | undefined;
  let pending: Pending | undefined;
  let last = 0;

  const close = () => {
    const ended = program;
    program = undefined;
    ended?.kill();
  };
  const start = async (): Promise<RunningProgram> => {
    if (programs === undefined) throw refused("Code of flows cannot run here: there is no sandbox.");
    const verdict = await programs.allows(skill);
    if (!verdict.ok) throw refused(verdict.reason);
    const first = last;
    return programs.start({
      skill: alone,
      module,
      env: {},
      onMessage: (message) => {
        const answer = answerSchema.safeParse(message).data;
        if (answer !== undefined && answer.id === pending?.id) pending.settle(answer);
      },
      onText: (line) => pending?.onText(line),
      onEnd: ({ reason }) => {
        // A closed program may end after the next one has started.
        if (first !== startedAt) return;
        program = undefined;
        pending?.settle({ error: reason });
      },
    });
  };
  let startedAt = 0;
  const running = async (): Promise<RunningProgram> => {
    if (program !== undefined) return program;
    startedAt = last;
    try {
      program = await start();
      return program;
    } catch (error) {
      if (error instanceof ProgramError) throw refused(error.message);
      throw error;
    }
  };

  return {
    close,
    async run(code, { variables, signal, timeout_ms, onText }) {
      last += 1;
      const id = last;
      const at = await running();
      const { promise, resolve, reject } = Promise.withResolvers<Json>();
      const settle: Pending["settle"] = ({ result = null, error }) =>
        error === undefined ? resolve(result) : reject(failed(error));
      pending = { id, settle, onText };
      const stop = () => {
        reject(signal.reason);
        close();
      };
      const late = () => {
        settle({ error: `It took longer than ${timeout_ms} ms.` });
        close();
      };
      const timer = timeout_ms === undefined ? undefined : setTimeout(late, timeout_ms);
      signal.addEventListener("abort", stop, { once: true });
      try {
        signal.throwIfAborted();
        at.send({ id, code, variables: withTexts(variables) });
        return await promise;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        pending = undefined;
      }
    },
  };
}

function failed(reason: string): SkillFailure {
  return new SkillFailure("code_failed", `The code failed: ${reason}`, "Correct the code in the flow.");
}

function refused(reason: string): SkillFailure {
  return new SkillFailure("code_refused", reason, "Tell the person; an operator can change that.");
}
