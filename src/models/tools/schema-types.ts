import type { Json, JsonObject } from "../../core/values/json.ts";

export function typesIn(type: Json | undefined): Json[] {
  return Array.isArray(type) ? type : type === undefined ? [] : [type];
}

/** Widens the type by `nullable`, and by the types of enumerated values that it does not include. */
export function completeTypes(made: Map<string, Json>, { nullable }: JsonObject): void {
  const types = typesIn(made.get("type"));
  const values = made.get("enum");
  if (nullable === true && Array.isArray(values) && !values.includes(null))
    made.set("enum", [...values, null]);
  if (types.length === 0) return;
  const listed = made.get("enum");
  const kinds = Array.isArray(listed) ? listed.map(kindOf) : [];
  const missing = kinds.filter(
    (kind) => !types.includes(kind) && !(kind === "integer" && types.includes("number")),
  );
  const wide = [...new Set([...types, ...missing, ...(nullable === true ? ["null"] : [])])];
  if (wide.length > types.length) made.set("type", wide);
}

function kindOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}

export function addWords(made: Map<string, Json>, words: string): void {
  const known = made.get("description");
  made.set("description", typeof known === "string" && known !== "" ? `${known}\n${words}` : words);
}

const typeNames: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  integer: "integer",
  boolean: "boolean",
  object: "object",
  array: "array",
  null: "null",
  str: "string",
  text: "string",
  int: "integer",
  long: "integer",
  float: "number",
  double: "number",
  bool: "boolean",
  dict: "object",
  map: "object",
  list: "array",
};

export function typeMember(given: Json): [string, Json][] {
  const names = typesIn(given).flatMap((name) => {
    const known = typeof name === "string" ? name.toLowerCase() : "";
    return Object.hasOwn(typeNames, known) ? [typeNames[known] ?? ""] : [];
  });
  const unique = [...new Set(names)];
  if (unique.length === 0) return [];
  return [["type", Array.isArray(given) ? unique : (unique[0] ?? "")]];
}
