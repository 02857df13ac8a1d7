import { mapTexts } from "../base/record.ts";
import { configKeys, keysWithin } from "./config-keys.ts";
import { valueAt } from "./layer.ts";
import type { ConfigSources } from "./load-config.ts";
import type { Config } from "./schema.ts";

/** One line of `knack config`. */
export interface ConfigListing {
  /** Dotted. */
  key: string;
  /** `null` when the key is not set. */
  value: unknown;
  source: string;
  meaning: string;
}

const mask = "••••••";

/** Every key with its value, source and meaning. Secrets are masked, even within addresses. */
export function describeConfig(config: Config, sources: ConfigSources): ConfigListing[] {
  const keys = configKeys().flatMap((key) => {
    const within = keysWithin(key, valueAt(config, key.path));
    return within.length === 0 ? [key] : within;
  });
  return keys.map(({ path, meaning, secret }) => {
    const key = path.join(".");
    const value = valueAt(config, path) ?? null;
    return {
      key,
      value: mapTexts(value, (text) => (secret ? mask : maskCredentials(text))),
      source: sources[key] ?? "default",
      meaning,
    };
  });
}

function maskCredentials(text: string): string {
  return text.replace(/(:\/\/)[^/@\s]+@/g, `$1${mask}@`);
}
