import { isRecord } from "../../base/record.ts";
import type { Json, JsonSchema } from "../../core/values/json.ts";

/** The part of a schema that a reference names by its place. Undefined for a reference to another document, or to nothing. */
export function referredPart(root: JsonSchema, reference: string): Json | undefined {
  const own = [root.$id, root.id].find((address) => reference.startsWith(`${String(address)}#`));
  const local = own === undefined ? reference : reference.slice(String(own).length);
  if (local !== "#" && !local.startsWith("#/")) return undefined;
  const steps = local.slice(2).split("/");
  let value: Json | undefined = root;
  for (const step of local.length <= 2 ? [] : steps) value = memberOf(value, decoded(step));
  return value;
}

function memberOf(value: Json | undefined, step: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(step)];
  return isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return step;
  }
}
