import { madeOnce } from "../../base/made-once.ts";
import { isRecord } from "../../base/record.ts";
import { type Json, type JsonObject, type JsonSchema, objectOf } from "../../core/values/json.ts";
import { referredPart } from "./references.ts";

/** Maximum parts of one schema that are examined; the others are sent as any value. */
const maxParts = 5_000;
/** Maximum schemas that may describe one value, including references and choices. */
const maxAtOnce = 200;

/** Keywords that hold a schema, a list of schemas, and schemas by name. */
const single =
  `items additionalItems contains additionalProperties propertyNames not if then else unevaluatedItems
  unevaluatedProperties contentSchema`.split(/\s+/);
const lists = "anyOf oneOf allOf prefixItems items".split(" ");
const maps = "properties patternProperties $defs definitions dependentSchemas dependencies".split(" ");

/** All names of properties that a schema declares anywhere. */
export function propertyNames(schema: JsonSchema): Set<string> {
  const names = new Set<string>();
  const open: JsonObject[] = [schema];
  for (let at = 0; at < open.length && at < maxParts; at += 1) {
    const part = open[at] ?? {};
    for (const name of Object.keys(objectOf(part.properties))) names.add(name);
    open.push(...partsOf(part));
  }
  return names;
}

function partsOf(part: JsonObject): JsonObject[] {
  return [
    ...single.map((keyword) => part[keyword]),
    ...lists.flatMap((keyword) => (Array.isArray(part[keyword]) ? part[keyword] : [])),
    ...maps.flatMap((keyword) => Object.values(objectOf(part[keyword]))),
  ].filter(isRecord) as JsonObject[];
}

/** The schemas that may describe a value. */
export class SchemaPlace {
  readonly #root: JsonSchema;
  readonly #parts: readonly JsonObject[];
  #items: SchemaPlace | undefined;
  readonly #properties = new Map<string, SchemaPlace>();

  private constructor(root: JsonSchema, parts: readonly JsonObject[]) {
    this.#root = root;
    this.#parts = parts;
  }

  /** The place of a whole value. */
  static of(root: JsonSchema): SchemaPlace {
    return SchemaPlace.#at(root, [root]);
  }

  static #at(root: JsonSchema, values: readonly (Json | undefined)[]): SchemaPlace {
    const found = new Set(values.filter(isRecord) as JsonObject[]);
    for (const part of found) {
      if (found.size > maxAtOnce) break;
      const reference = typeof part.$ref === "string" ? part.$ref : part.$recursiveRef;
      const more = [
        typeof reference === "string" ? referredPart(root, reference) : undefined,
        ...["anyOf", "oneOf", "allOf"].flatMap((keyword) => part[keyword] ?? []),
        ...[part.if, part.then, part.else],
        ...Object.values(objectOf(part.dependentSchemas)),
        ...Object.values(objectOf(part.dependencies)),
      ];
      for (const one of more) if (isRecord(one)) found.add(one as JsonObject);
    }
    return new SchemaPlace(root, [...found]);
  }

  /** Whether an object here has a property of this name. */
  declares(name: string): boolean {
    return this.#parts.some(({ properties }) => Object.hasOwn(objectOf(properties), name));
  }

  /** The place of a property's value. */
  property(name: string): SchemaPlace {
    return madeOnce(this.#properties, name, () => {
      const values = this.#parts.flatMap((part) => {
        const properties = objectOf(part.properties);
        if (Object.hasOwn(properties, name)) return [properties[name]];
        return [part.additionalProperties, ...Object.values(objectOf(part.patternProperties))];
      });
      return SchemaPlace.#at(this.#root, values);
    });
  }

  /** The place of the items of a list. */
  items(): SchemaPlace {
    this.#items ??= SchemaPlace.#at(
      this.#root,
      this.#parts.flatMap(({ items, prefixItems, additionalItems, contains }) => [
        ...[items ?? [], prefixItems ?? []].flat(),
        ...[additionalItems, contains],
      ]),
    );
    return this.#items;
  }
}
