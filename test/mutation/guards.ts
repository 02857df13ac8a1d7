/**
 * The files that guard, and the tests that have to notice when a guard is changed. The only place that names them.
 *
 * Some mutants change nothing that anybody could see and count as missed all the same: shortcuts that only save work (`redact.ts`: texts
 * without a mark, values that are unchanged), comparisons with an undefined limit (`retention-sweep.ts`, `spending.ts`), names that are
 * counted down instead of up and a wake-up too many (`dispatcher.ts`), and a million events that are shown but not stored (`turn-writer.ts`).
 */
interface Guard {
  /** Paths below `src`, each with an optional range of declarations: `core/values/inbound.ts hasTrust..mayApprove`. */
  files: readonly string[];
  /** Paths below `test`, without `.test.ts`. Every mutant runs only those of them that reach it. */
  tests: readonly string[];
}

/** The variable in which `run.ts` tells Vitest which tests to run, as JSON. */
export const testsVariable = "KNACK_GUARD_TESTS";

/** By the name that `npm run mutate -- NAME` takes. */
export const guards: Readonly<Record<string, Guard>> = {
  permissions: {
    files: ["core/values/inbound.ts hasTrust..mayApprove"],
    tests: ["unit/core/values/permissions"],
  },
  reach: { files: ["core/decisions/approval.ts mayReach..webOf"], tests: ["unit/core/decisions/may-reach"] },
  standing: {
    files: ["core/decisions/standing-decisions.ts readStanding..parse"],
    tests: ["unit/core/decisions/standing-decisions"],
  },
  allowed: {
    files: ["core/decisions/standing-decisions.ts isStillAllowed..isOwnText"],
    tests: ["unit/core/decisions/allowed-call"],
  },
  decisions: {
    files: ["core/decisions/decide-call.ts"],
    tests: ["unit/core/decisions/{decide-call,decision-for}"],
  },
  redaction: {
    files: ["core/values/redact.ts", "base/text/text-search.ts"],
    tests: ["unit/core/values/redact"],
  },
  transcript: { files: ["core/log/transcript.ts"], tests: ["unit/core/log/transcript"] },
  turns: {
    files: ["app/turns/dispatcher.ts", "app/turns/turn-writer.ts"],
    tests: ["unit/app/turns/{dispatcher,turn-writer}"],
  },
  leases: { files: ["storage/key-value-leases.ts"], tests: ["contract/storage/key-value-leases"] },
  spending: { files: ["app/turns/spending.ts"], tests: ["unit/app/turns/spending"] },
  webhooks: { files: ["app/schedules/webhooks.ts"], tests: ["unit/app/schedules/webhooks"] },
  due: {
    files: ["storage/turns/due-entries.ts createDueEntries"],
    tests: ["contract/storage/due-entries"],
  },
  retention: { files: ["app/services/retention-sweep.ts"], tests: ["unit/app/services/retention-sweep"] },
};
