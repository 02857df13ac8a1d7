import { type Layer, setter, valueAt } from "./layer.ts";

/** A setting of an earlier version, and the one that does its work now. */
interface Superseded {
  key: readonly [string, string];
  by: readonly [string, string];
  /** The value of the new setting that comes nearest to an old one; undefined when the old value says nothing about it. */
  value(old: unknown): unknown;
}

const superseded: readonly Superseded[] = [
  {
    key: ["prompt", "history_tokens"],
    by: ["prompt", "transcript_tokens"],
    // The old one bounded what came before a turn, the new one bounds all of a conversation.
    value: (old) => (typeof old === "number" ? Math.max(2_000, old) : undefined),
  },
  { key: ["prompt", "turn_tokens"], by: ["prompt", "transcript_tokens"], value: () => undefined },
  { key: ["prompt", "skills_tokens"], by: ["prompt", "skill_list_tokens"], value: (old) => old },
];

/**
 * Takes settings of earlier versions out of the layers. Their values are passed on where the layer leaves the new setting alone.
 * Answers the layers and a warning for each, which names the new setting.
 */
export function replaceSuperseded(layers: readonly Layer[]): { layers: Layer[]; warnings: string[] } {
  const warnings = superseded.flatMap(({ key, by, value }) => {
    const layer = setter(layers, key);
    if (layer === undefined) return [];
    const isPassedOn = value(valueAt(layer.values, key)) !== undefined;
    const rest = isPassedOn ? "Its value counts until that one is set." : "It has no effect any more.";
    return [`${layer.source(key)}: ${key.join(".")} is now ${by.join(".")}. ${rest}`];
  });
  return { layers: warnings.length === 0 ? [...layers] : layers.map(withoutSuperseded), warnings };
}

function withoutSuperseded(layer: Layer): Layer {
  const values = structuredClone(layer.values);
  for (const { key, by, value } of superseded) {
    const old = valueAt(values, key);
    if (old === undefined) continue;
    const section = values[key[0]] as Record<string, unknown>;
    delete section[key[1]];
    const passedOn = value(old);
    if (passedOn !== undefined && valueAt(values, by) === undefined) section[by[1]] = passedOn;
  }
  return { ...layer, values };
}
