import type { ModelRequest } from "../../../src/core/ports/model.ts";
import { type Line, type ScriptedModel, type ScriptedModelOptions, scriptedModel } from "./scripted-model.ts";

/** Whether a model is asked to summarise a thread, rather than to go on with a turn. */
export const isSummary = ({ system }: Pick<ModelRequest, "system">) => system.startsWith("Summarise");

/** A model that says `summary` when it is asked to summarise, and otherwise answers line by line. */
export function summarisingModel(
  script: readonly Line[],
  summary: string,
  options: ScriptedModelOptions = {},
): ScriptedModel {
  let at = 0;
  return scriptedModel((request) => {
    if (isSummary(request)) return summary;
    at += 1;
    return script[Math.min(at, script.length) - 1] ?? "";
  }, options);
}
