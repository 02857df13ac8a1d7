import { mapTexts } from "../base/record.ts";

/** Variables of the operator's environment, with which the bot was started. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** `${input:NAME}` asks a person in VS Code; here it is a variable like any other, with the name in its form. */
const asked = /\$\{input:([A-Za-z0-9_.-]+)\}/g;

const reference =
  /\$\{(?:env:)?(user_config(?:\.[\w-]+)+|[A-Za-z_][A-Za-z0-9_]*)(?::-((?:(?!\$\{)[^}])*))?\}/g;

/**
 * Fills `${NAME}`, `${NAME:-default}` and `${env:NAME}` in every text of a value, as other MCP clients do. Returns the names of missing
 * variables; if there are any, the value is incomplete. Settings of bundles have dots (`user_config.key`).
 */
export function expandVariables<T>(value: T, environment: Environment): { value: T; missing: string[] } {
  const missing = new Set<string>();
  const fill = (text: string) =>
    text
      .replace(asked, (_whole, name: string) => `\${${variableOf(name)}}`)
      .replace(reference, (_whole, name: string, fallback: string | undefined) => {
        const found = environment[name] || fallback;
        if (found === undefined) missing.add(name);
        return found ?? "";
      });
  return { value: mapTexts(value, fill) as T, missing: [...missing] };
}

/** `perplexity-key` → `PERPLEXITY_KEY`. */
function variableOf(input: string): string {
  return input
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^(?=\d)/, "_")
    .toUpperCase();
}
