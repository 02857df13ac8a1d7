import { isRecord } from "../../base/record.ts";
import { fingerprint } from "../../core/values/address.ts";
import type { Json, JsonSchema } from "../../core/values/json.ts";

/** Resolves the references of one schema. */
export interface References {
  root: JsonSchema;
  nameOf: ((name: string) => string) | undefined;
  /** Parts that move to `$defs` because their container is not sent, by their names there. */
  hoisted: Map<string, Json>;
}

/** Keywords that hold schemas by name. */
const maps: ReadonlySet<string> = new Set(
  "properties patternProperties $defs definitions dependentSchemas".split(" "),
);

/** Keywords that change their place: at the root, and anywhere. */
const movedAtRoot: ReadonlySet<string> = new Set("anyOf oneOf allOf not if then else $ref".split(" "));
const moved: ReadonlySet<string> = new Set(["patternProperties", "dependencies", "additionalItems"]);

/** The part of the schema that a reference names by its place. Undefined for a reference to another document, or to nothing. */
export function referredPart(root: JsonSchema, reference: string): Json | undefined {
  const steps = stepsOf(root, reference);
  let value: Json | undefined = root;
  for (const step of steps ?? []) value = memberOf(value, step);
  return steps === undefined ? undefined : value;
}

/** The reference as it reads in the schema that is sent. Undefined for a reference to another document, or to nothing. */
export function rewrittenReference(reference: string, references: References): string | undefined {
  const { root, hoisted } = references;
  if (/^#[A-Za-z_][\w.-]*$/.test(reference)) return reference;
  const part = referredPart(root, reference);
  if (part === undefined) return undefined;
  const steps = stepsOf(root, reference) ?? [];
  const sent = sentSteps(steps, references);
  if (sent !== undefined) {
    const kept = sent.every((step, index) => step === steps[index]) && reference.startsWith("#");
    return kept ? reference : `#${sent.map((step) => `/${encoded(step)}`).join("")}`;
  }
  const name = `part_${fingerprint(steps.join("/"))}`;
  hoisted.set(name, part);
  return `#/$defs/${name}`;
}

/** Undefined for a reference to another document. */
function stepsOf({ $id, id }: JsonSchema, reference: string): string[] | undefined {
  const own = [$id, id].find((address) => typeof address === "string" && reference.startsWith(`${address}#`));
  const local = typeof own === "string" ? reference.slice(own.length) : reference;
  if (local !== "#" && !local.startsWith("#/")) return undefined;
  return local
    .slice(2)
    .split("/")
    .filter((step, index) => step !== "" || index > 0)
    .map(decoded);
}

/** The place of the part in the sent schema; undefined when it loses its place. */
function sentSteps(steps: readonly string[], { root, nameOf }: References): string[] | undefined {
  const sent: string[] = [];
  let value: Json | undefined = root;
  let holder = "";
  for (const [at, step] of steps.entries()) {
    const inside = memberOf(value, step);
    if (holder !== "") sent.push(holder === "properties" ? (nameOf?.(step) ?? step) : step);
    else if (isMoved(step, at)) return undefined;
    else sent.push(sentKeyword(step, at, inside, root));
    const holds = maps.has(step) || Array.isArray(inside);
    holder = holder === "" && holds ? step : "";
    value = inside;
  }
  return holder === "" ? sent : undefined;
}

function isMoved(keyword: string, at: number): boolean {
  return moved.has(keyword) || (at === 0 && movedAtRoot.has(keyword));
}

/** The current name of a keyword: older drafts had other names for tuples and definitions. */
function sentKeyword(keyword: string, at: number, inside: Json | undefined, { $defs }: JsonSchema): string {
  if (keyword === "items" && Array.isArray(inside)) return "prefixItems";
  return keyword === "definitions" && at === 0 && $defs === undefined ? "$defs" : keyword;
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

function encoded(step: string): string {
  return encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));
}
