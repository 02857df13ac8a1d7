import type { Diagnostic } from "../core/skill/skill.ts";

/** A diagnostic of a defect that prevents loading. */
export function defect(path: string, code: string, message: string): Diagnostic {
  return { path, severity: "error", code, message };
}

/** A diagnostic of something that was loaded nevertheless. */
export function caution(path: string, code: string, message: string): Diagnostic {
  return { path, severity: "warning", code, message };
}
