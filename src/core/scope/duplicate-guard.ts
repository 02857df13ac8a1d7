import { failure, type Tool, type ToolResult } from "../skill/tool.ts";
import { canonicalJson, type Json } from "../values/json.ts";

/**
 * Answers a repeated read-only call of a model with its first result, and enforces cooldowns and once-per-turn limits. Each turn has one.
 */
export class DuplicateGuard {
  readonly #results = new Map<string, Json>();
  readonly #lastRun = new Map<string, number>();

  /**
   * The result that replaces running the tool, if any. `now` is in ms since the epoch. `bySkill`: a skill or flow makes the call; it repeats
   * calls on purpose and expects the tool's current answer.
   */
  check(tool: Tool, input: Json, now: number, bySkill: boolean): ToolResult | undefined {
    const ran = this.#lastRun.get(tool.name);
    if (ran !== undefined && tool.once_per_turn) {
      return failure(
        "once_per_turn",
        `${tool.name} runs once per turn and has run.`,
        "Use its first result.",
      );
    }
    const wait = ran === undefined ? 0 : ran + (tool.cooldown_ms ?? 0) - now;
    if (wait > 0) {
      const message = `${tool.name} may run again in ${Math.ceil(wait / 1000)} s.`;
      return failure("cooldown", message, "Go on without it.");
    }
    const mayRepeat = bySkill || tool.repeatable || tool.effect(input) !== "read_only";
    const first = mayRepeat ? undefined : this.#results.get(keyOf(tool, input));
    if (first === undefined) return undefined;
    const note =
      "Same call as before: this is its first result. Do not repeat it; use the result or change the arguments.";
    return { status: "ok", output: { note, result: first } };
  }

  /** Records a finished call. A call with side effects clears the remembered results. */
  record(tool: Tool, input: Json, result: ToolResult, now: number): void {
    this.#lastRun.set(tool.name, now);
    if (tool.effect(input) !== "read_only") this.#results.clear();
    else if (result.status === "ok") this.#results.set(keyOf(tool, input), result.output);
  }
}

function keyOf(tool: Tool, input: Json): string {
  return `${tool.name} ${canonicalJson(input)}`;
}
