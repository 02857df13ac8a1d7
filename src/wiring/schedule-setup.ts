import type { ScheduleSetup } from "../app/schedules/create-schedules.ts";
import type { Config } from "../config/schema.ts";
import type { DueEntries } from "../core/ports/schedules.ts";
import { type KeyValue, scopeKeyValue } from "../core/ports/storage.ts";
import { sealKeyValue } from "../storage/sealed-key-value.ts";
import { createSecretKey } from "../storage/secret-key.ts";

/** Limits and storage of schedules and triggers. Webhooks are recognised by secrets, which are stored encrypted. */
export function scheduleSetup(
  { schedules, code, data, secret_key }: Config,
  { due, store }: { due: DueEntries; store: KeyValue },
): ScheduleSetup {
  const minute = 60_000;
  return {
    due,
    sealed: scopeKeyValue(sealKeyValue(store, createSecretKey(data.folder, secret_key)), "webhook:"),
    limits: {
      least_gap_ms: schedules.least_minutes * minute,
      per_channel: schedules.per_channel,
      per_person: schedules.per_person,
      late_ms: schedules.late_minutes * minute,
      open_turns: schedules.open_turns,
      trigger_gap_ms: minute,
      goal_turns: schedules.goal_turns,
      job_ms: code.job_minutes * minute,
      jobs: code.jobs_per_channel,
    },
  };
}
