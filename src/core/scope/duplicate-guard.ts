import type { Tool, ToolResult } from "../skill/tool.ts";
import { canonicalJson, type Json } from "../values/json.ts";

/**
 * Answers a model's repeated read-only call from its first result, and keeps cooldowns and once-per-turn marks. One per turn;
 * rebuilt from the log on resume.
 */
export interface DuplicateGuard {
  /**
   * The result to answer instead of running the tool, if any. `now` in ms since the epoch. `by_skill`: a skill or flow makes the
   * call, which repeats itself on purpose and expects what the tool answers.
   */
  check(tool: Tool, input: Json, now: number, by_skill?: boolean): ToolResult | undefined;
  /** A call that has finished. A success with side effects voids what was remembered before. */
  record(tool: Tool, input: Json, result: ToolResult, now: number): void;
}

export function createDuplicateGuard(): DuplicateGuard {
  const results = new Map<string, Json>();
  const lastRun = new Map<string, number>();
  const key = (tool: Tool, input: Json) => `${tool.name} ${canonicalJson(input)}`;

  return {
    check(tool, input, now, by_skill = false) {
      const ran = lastRun.get(tool.name);
      if (ran !== undefined && tool.once_per_turn) {
        return refuse(
          "once_per_turn",
          `${tool.name} runs once per turn and has run.`,
          "Use its first result.",
        );
      }
      const wait = ran === undefined ? 0 : ran + (tool.cooldown_ms ?? 0) - now;
      if (wait > 0) {
        return refuse(
          "cooldown",
          `${tool.name} may run again in ${Math.ceil(wait / 1000)} s.`,
          "Go on without it.",
        );
      }
      const mayRepeat = by_skill || tool.repeatable || tool.effect(input) !== "read_only";
      const first = mayRepeat ? undefined : results.get(key(tool, input));
      if (first === undefined) return undefined;
      const note =
        "Same call as before: this is its first result. Do not repeat it; use the result or change the arguments.";
      return { status: "ok", output: { note, result: first } };
    },
    record(tool, input, result, now) {
      lastRun.set(tool.name, now);
      if (tool.effect(input) !== "read_only") results.clear();
      else if (result.status === "ok") results.set(key(tool, input), result.output);
    },
  };
}

function refuse(code: string, message: string, hint: string): ToolResult {
  return { status: "error", code, message, hint };
}
