import { errorText } from "../../base/error-text.ts";
import { withTimeLimit } from "../../base/time-limit.ts";
import type { Backlog, TurnHealth } from "../../core/log/turn-log.ts";
import type { Models } from "../../core/ports/model.ts";
import type { Clock, KeyValue } from "../../core/ports/storage.ts";

/** The result of one check. */
export interface Readiness {
  name: string;
  ok: boolean;
  /** The state, or what is wrong and what to do. */
  detail: string;
  /** A connection to a platform. A bot that has lost one still works on the others. */
  platform?: true | undefined;
}

/** Whether a bot can work: all its own checks pass, and the named platform, or else at least one, if it has any. */
export function isReady(checks: readonly Readiness[], platform?: string): boolean {
  const platforms = checks.filter(({ platform }) => platform === true);
  const own = checks.filter(({ platform }) => platform !== true);
  const asked = platform === undefined ? platforms : platforms.filter(({ name }) => name === platform);
  const isConnected = asked.some(({ ok }) => ok) || (platform === undefined && asked.length === 0);
  return own.every(({ ok }) => ok) && isConnected;
}

/** Maximum age of the oldest turn that could run, ms; beyond it the bot does not keep up. */
const maxQueueAgeMs = 120_000;

/** Time limit of a probe, ms. */
const probeTimeoutMs = 5_000;

/** How long a result is reused, ms: probes write, and anyone may ask. */
const maxAnswerAgeMs = 2_000;

export interface ReadinessDeps {
  store: KeyValue;
  log: TurnHealth;
  clock: Clock;
  ports: { models: Pick<Models, "main"> };
  checks?: (() => Readiness[]) | undefined;
  /** Present where other processes run turns, too: then this one is not to blame for those that wait. */
  shared?: { place: string } | undefined;
}

/**
 * Tests whether the bot can take work: store and log can be written, the queue moves, platforms are connected. The model is only named:
 * turns that wait for it are kept, so restarting the bot would not help.
 */
export function createReadiness(deps: ReadinessDeps): () => Promise<Readiness[]> {
  const { clock } = deps;
  let last: { at: number; own: Promise<Readiness[]> } | undefined;
  return async () => {
    if (last === undefined || clock.now() - last.at >= maxAnswerAgeMs)
      last = { at: clock.now(), own: ownChecks(deps) };
    return [...(await last.own), ...(deps.checks?.() ?? [])];
  };
}

function ownChecks({ store, log, clock, ports, shared }: ReadinessDeps): Promise<Readiness[]> {
  const suspect =
    shared === undefined
      ? "Is the disk overloaded or gone?"
      : `Is the database ${shared.place} overloaded, or cut off by the network?`;
  const late = () => new Error(`No answer within ${probeTimeoutMs / 1000} s. ${suspect}`);
  const check = async (name: string, probe: () => Promise<Omit<Readiness, "name">>): Promise<Readiness> => {
    try {
      return { name, ...(await withTimeLimit({ ms: probeTimeoutMs, timer: clock, late }, probe)) };
    } catch (error) {
      return { name, ok: false, detail: errorText(error) };
    }
  };
  return Promise.all([
    check("store", async () => {
      await store.set("probe:readiness", clock.now());
      return { ok: true, detail: "writable" };
    }),
    check("log", async () => {
      await log.probe(clock.now());
      return { ok: true, detail: "writable" };
    }),
    check("queue", async () => {
      const state = queueState(await log.backlog(), clock.now());
      return shared === undefined ? state : { ...state, ok: true };
    }),
    check("model", async () => ({ ok: true, detail: ports.models.main.id })),
  ]);
}

function queueState(backlog: Backlog, now: number): Omit<Readiness, "name"> {
  const { queued, running, waiting, held = 0, oldest_at } = backlog;
  const resume = `, ${held} held back after repeated crashes: turns that were running resume a few at a time`;
  const after = held === 0 ? "" : resume;
  const counts = `${queued + running + waiting} turns pending (${queued} queued, ${running - held} running, ${waiting} waiting${after})`;
  const age = oldest_at === undefined ? 0 : Math.max(0, now - oldest_at);
  if (age <= maxQueueAgeMs) return { ok: true, detail: counts };
  const seconds = Math.round(age / 1000);
  const advice = "The bot does not keep up: raise turns.concurrent, or look at its log.";
  const detail = `The oldest message has waited ${seconds} s for a worker; ${counts}. ${advice}`;
  return { ok: false, detail };
}
