import type { AppDeps } from "../app/app-deps.ts";
import type { Config } from "../config/schema.ts";
import type { DueEntries } from "../core/due-entries.ts";
import { type KeyValue, scopeKeyValue } from "../core/key-value.ts";
import { sealKeyValue } from "../storage/sealed-key-value.ts";
import { createSecretKey } from "../storage/secret-key.ts";
import { scheduleLimits } from "./app-settings.ts";

/** Where schedules and triggers are kept; the secrets of webhooks are encrypted. */
export function scheduleStores(config: Config, due: DueEntries, store: KeyValue): AppDeps["schedules"] {
  const secret = createSecretKey(config.data.folder, config.secret_key);
  return {
    due,
    sealed: scopeKeyValue(sealKeyValue(store, secret), "schedules-sealed:"),
    limits: scheduleLimits(config),
    public_url: config.server.public_url,
  };
}
