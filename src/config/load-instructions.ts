import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { errorText } from "../base/error-text.ts";
import { ConfigError } from "./config-error.ts";

const shipped = fileURLToPath(new URL("../../config/instructions.md", import.meta.url));

/** What the text may have in double braces. */
const placeholders = ["{{name}}", "{{place}}", "{{formatting}}", "{{cannot}}"];

/**
 * The beginning of every agent's instructions.
 * @throws ConfigError when the file cannot be read, or has an unknown name in double braces
 */
export async function loadInstructions(file = shipped): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    const message = `it cannot be read: ${errorText(error)}`;
    throw new ConfigError([{ where: file, key: "", message }], { cause: error });
  }
  const unknown = (text.match(/\{\{\w+\}\}/g) ?? []).filter((name) => !placeholders.includes(name));
  if (unknown.length > 0) {
    const message = `there is no ${unknown.join(", ")}`;
    const hint = `Known are ${placeholders.join(", ")}`;
    throw new ConfigError([{ where: file, key: "", message, hint }]);
  }
  return text.replaceAll("\r\n", "\n").trim();
}
