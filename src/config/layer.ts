import { isRecord } from "../base/record.ts";

/** One origin of settings. A later layer wins over an earlier one, key by key. */
export interface Layer {
  values: Record<string, unknown>;
  /** Where the layer sets a key, for listings and messages. */
  source(key: readonly PropertyKey[]): string;
  /** Whether somebody wrote it for this bot; the environment may hold a variable for the sake of other programs. */
  deliberate: boolean;
}

/** All layers as one. Maps are merged, everything else is replaced; `null` sets nothing. */
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

/** The value a layer gives a key, undefined when it leaves it alone. */
export function valueAt(values: unknown, key: readonly PropertyKey[]): unknown {
  let value = values;
  for (const segment of key) {
    if (Array.isArray(value)) value = value[Number(segment)];
    else value = isRecord(value) && Object.hasOwn(value, segment) ? value[String(segment)] : undefined;
  }
  return value ?? undefined;
}

/** The uppermost layer that sets a key. */
export function setter(layers: readonly Layer[], key: readonly PropertyKey[]): Layer | undefined {
  return layers.findLast((layer) => valueAt(layer.values, key) !== undefined);
}

/** A layer's values from keys by path. */
export function nest(
  entries: readonly { path: readonly string[]; value: unknown }[],
): Record<string, unknown> {
  return entries.reduce<Record<string, unknown>>((all, { path, value }) => {
    const single = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
    return merge(all, single as Record<string, unknown>);
  }, {});
}
