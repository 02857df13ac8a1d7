import type { Author } from "../core/inbound.ts";
import type { KeyValue } from "../core/key-value.ts";
import { type NamespaceState, updateNamespace } from "../core/namespace-state.ts";
import type { Profile } from "../core/turn.ts";
import type { Outcome, SettingsChange } from "./app.ts";
import type { Feed } from "./feed.ts";
import { mayManage } from "./permissions.ts";

/** Changes the settings of a channel, for the command and the API alike. */
export type ChangeSettings = (
  namespace: string,
  change: SettingsChange,
  by: Author,
) => Promise<Outcome<NamespaceState>>;

export function createChangeSettings(
  store: KeyValue,
  feed: Feed,
  profiles: readonly Profile[],
): ChangeSettings {
  return async (namespace, change, by) => {
    if (!mayManage(by, namespace)) {
      return { ok: false, status: 403, message: "Only managers of this channel may change its settings." };
    }
    const { profile } = change;
    if (typeof profile === "string" && !profiles.some((each) => each.id === profile)) {
      const known = profiles.map((each) => each.id).join(", ");
      return { ok: false, status: 404, message: `There is no agent ${profile}. Agents: ${known}.` };
    }
    const changed = await updateNamespace(store, namespace, ({ settings }) => {
      settings.progress = change.progress ?? settings.progress;
      settings.while_running = change.while_running ?? settings.while_running;
      if (change.profile !== undefined) settings.profile = change.profile ?? undefined;
      if (change.allowed_skills !== undefined) {
        settings.allowed_skills = change.allowed_skills === null ? undefined : [...change.allowed_skills];
      }
    });
    feed.changed(namespace);
    return { ok: true, value: changed };
  };
}
