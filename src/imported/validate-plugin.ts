import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { readPlugin } from "./plugin-file.ts";

export interface PluginVerdict {
  valid: boolean;
  /** What keeps the skill from running. */
  errors: string[];
  /** What was read otherwise than it is written, or is missing without harm. */
  warnings: string[];
}

/** Checks a folder with a plugin.json as AnythingLLM's agent skill; undefined for a folder without one. */
export async function validatePlugin(directory: string): Promise<PluginVerdict | undefined> {
  const file = path.join(directory, "plugin.json");
  if (!(await isFile(file))) return undefined;
  const text = await readFile(file, "utf8").catch(() => undefined);
  const origin = { source: "validate", precedence: 0, path: path.resolve(directory) };
  const { diagnostics } = readPlugin({ text, origin });
  const found = (severity: "error" | "warning") =>
    diagnostics.filter((each) => each.severity === severity).map(({ message }) => `plugin.json: ${message}`);
  const hasCode = await isFile(path.join(directory, "handler.js"));
  const errors = [...found("error"), ...(hasCode ? [] : ["Missing required file: handler.js"])];
  return { valid: errors.length === 0, errors, warnings: found("warning") };
}

async function isFile(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
