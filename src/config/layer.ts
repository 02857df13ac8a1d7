import { isRecord } from "../base/record.ts";

/** One source of settings. A later layer overrides an earlier one, key by key. */
export interface Layer {
  values: Record<string, unknown>;
  /** The place where the layer sets a key, for listings and messages. */
  source(key: readonly PropertyKey[]): string;
  /** Whether the settings were written for this bot. A variable of the environment may be meant for other programs. */
  deliberate: boolean;
}

/** Merges all layers. Maps are merged, other values are replaced, and `null` sets nothing. */
export function mergeLayers(layers: readonly Layer[]): Record<string, unknown> {
  return layers.reduce<Record<string, unknown>>((merged, layer) => merge(merged, layer.values), {});
}

function merge(below: Record<string, unknown>, above: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...below };
  for (const [name, value] of Object.entries(above)) {
    if (value === null || value === undefined) continue;
    const under = merged[name];
    merged[name] = isRecord(value) ? merge(isRecord(under) ? under : {}, value) : value;
  }
  return merged;
}

/** A layer's value of a key; undefined if the layer does not set it. */
export function valueAt(values: unknown, key: readonly PropertyKey[]): unknown {
  let value = values;
  for (const segment of key) {
    if (Array.isArray(value)) value = value[Number(segment)];
    else value = isRecord(value) && Object.hasOwn(value, segment) ? value[String(segment)] : undefined;
  }
  return value ?? undefined;
}

/** The last layer that sets a key. */
export function setter(layers: readonly Layer[], key: readonly PropertyKey[]): Layer | undefined {
  return layers.findLast((layer) => valueAt(layer.values, key) !== undefined);
}

/** Nested values from keys and their paths. */
export function nest(
  entries: readonly { path: readonly string[]; value: unknown }[],
): Record<string, unknown> {
  return entries.reduce<Record<string, unknown>>((all, { path, value }) => {
    const single = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
    return merge(all, single as Record<string, unknown>);
  }, {});
}
