import { isRecord } from "../base/record.ts";
import type { Json, JsonObject } from "../core/values/json.ts";

export interface SetupArguments {
  /** `this.runtimeArgs`. A required argument without a value is not in it, an optional one is null, as in AnythingLLM. */
  values: JsonObject;
  /** Names of required arguments without a value. */
  missing: string[];
  /** Values that are not to be shown: of password fields, and of what is called a key, token, secret or password. */
  secrets: string[];
}

/**
 * `setup_args` of a plugin.json with what the operator set: that first, then `value`, then `default`. Unlike in AnythingLLM `false` and
 * `0` are values. An empty text is what forms leave behind: it gives way to a default, and does for nothing that is required.
 */
export function readSetupArguments(
  setupArgs: Json | undefined,
  settings: Readonly<Record<string, string>>,
): SetupArguments {
  const values: JsonObject = {};
  const missing: string[] = [];
  const secrets: string[] = [];
  for (const [name, written] of Object.entries(isRecord(setupArgs) ? setupArgs : {})) {
    const argument = isRecord(written) ? written : { value: written };
    const set = settings[name];
    const given = set === undefined ? argument.value : typed(set, argument.type);
    const value = [given, argument.default, given].find(
      (each, at) => isValue(each) || (at === 2 && each === ""),
    );
    if (argument.required === true && !isValue(value)) missing.push(name);
    else values[name] = value ?? null;
    if (typeof value === "string" && isSecret(name, argument.input)) secrets.push(value);
  }
  return { values, missing, secrets };
}

function isSecret(name: string, input: Json | undefined): boolean {
  return /key|token|secret|passw/i.test(name) || (isRecord(input) && input.type === "password");
}

function isValue(value: Json | undefined): value is Json {
  return value !== undefined && value !== null && value !== "";
}

/** Settings are text; arguments have types. */
function typed(text: string, type: Json | undefined): Json {
  if (type === "boolean") return ["true", "1", "yes", "on"].includes(text.trim().toLowerCase());
  const number = Number(text);
  return type === "number" && text.trim() !== "" && Number.isFinite(number) ? number : text;
}
