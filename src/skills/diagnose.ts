import type { Diagnostic } from "../core/skill/skill.ts";

/** A diagnostic that keeps something from being loaded. */
export function defect(path: string, code: string, message: string): Diagnostic {
  return { path, severity: "error", code, message };
}

/** A diagnostic about something that was loaded all the same. */
export function caution(path: string, code: string, message: string): Diagnostic {
  return { path, severity: "warning", code, message };
}
