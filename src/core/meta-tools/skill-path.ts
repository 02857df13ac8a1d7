/** How a guide and a model may write the folder of a skill. */
const folder = /\$\{KNACK_SKILL_DIR\}|\$KNACK_SKILL_DIR\b|\$?\{baseDir\}/g;

/** A path within a skill's folder, relative to it, however it was written. */
export function pathInSkill(written: string): string {
  const path = written.trim().replace(folder, "/skill");
  return path.replace(/^\/skill\/+/, "").replace(/^(\.\/+)+/, "");
}

/** A command line for a shell, which knows the folder as a variable. */
export function commandForShell(written: string): string {
  return written.replace(/\$?\{baseDir\}/g, "$KNACK_SKILL_DIR");
}
