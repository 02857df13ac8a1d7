import { oneLine } from "../../base/markdown-text.ts";
import { nearestName, nearestNames } from "../../base/text/nearest-name.ts";
import {
  type ChannelSettings,
  type NamespaceState,
  type SettingsChange,
  updateNamespace,
} from "../../core/skill/namespace-state.ts";
import { failed, type Outcome } from "../../core/values/failure.ts";
import { type Author, timeZoneNamed } from "../../core/values/inbound.ts";
import { hereInWords } from "../../core/values/place.ts";
import { type Profile, whyUnusable } from "../../core/values/profile.ts";
import type { AppDeps } from "../app-deps.ts";
import { type Spending, tokenLimitText } from "../turns/spending.ts";

/** Changes the settings of a channel, for commands and the API. */
export function createChangeSettings(
  { store, profiles, clock, ports }: Pick<AppDeps, "store" | "profiles" | "clock" | "ports">,
  spending: Pick<Spending, "most">,
) {
  return async (namespace: string, change: SettingsChange, by: Author): Promise<Outcome<NamespaceState>> => {
    const { profile } = change;
    const problem = profile ? agentProblem(profile, profiles) : undefined;
    if (problem !== undefined) return failed(404, problem);
    const invalid = zoneProblem(change) ?? spendingProblem(change, spending.most(namespace), namespace);
    if (invalid !== undefined) return failed(400, invalid);
    const model = typeof change.model === "string" ? ports.models.choose(change.model) : undefined;
    if (model?.ok === false) return failed(400, model.message);
    const pause = { by: by.id, at: clock.now() };
    const known = model === undefined ? change : { ...change, model: model.name };
    const changed = await updateNamespace(store, namespace, ({ settings }) => apply(settings, known, pause));
    return { ok: true, value: changed };
  };
}

/** Why a channel cannot have these limits; undefined when they are no higher than the operator's. */
function spendingProblem(
  { spending }: SettingsChange,
  most: ReturnType<Spending["most"]>,
  namespace: string,
): string | undefined {
  const { day_usd = 0, day_tokens = 0 } = spending ?? {};
  if (day_usd <= most.day_usd && day_tokens <= most.day_tokens) return undefined;
  return `${hereInWords(namespace).replace("t", "T")} may spend at most $${most.day_usd.toFixed(2)} and ${tokenLimitText(most.day_tokens)} a day. Only an operator of the bot can raise that; a manager can choose less.`;
}

/** Why an agent cannot be chosen, and which can be; undefined when it can. */
function agentProblem(id: string, profiles: readonly Profile[]): string | undefined {
  const known = profiles.filter(({ unusable }) => unusable === undefined).map((each) => each.id);
  if (known.includes(id)) return undefined;
  const agents = `Agents: ${known.join(", ")}.`;
  const chosen = profiles.find((each) => each.id === id);
  const wrong = chosen === undefined ? undefined : whyUnusable(chosen);
  if (wrong !== undefined)
    return `The agent ${id} cannot be used until an operator of the bot corrects its file: ${wrong} ${agents}`;
  const near = nearestName(id, known);
  return `There is no agent ${id}. ${near === undefined ? "" : `Did you mean ${near}? `}${agents}`;
}

function zoneProblem({ time_zone: text }: SettingsChange): string | undefined {
  if (!text || timeZoneNamed(text) !== undefined) return undefined;
  const near = nearestTimeZones(text).map((zone) => `\`${zone}\``);
  const advice =
    near.length === 0
      ? "Name it as area and city, such as `Europe/Amsterdam`."
      : `Did you mean ${near.join(" or ")}?`;
  return `There is no time zone ${oneLine(text, 64)}. ${advice}`;
}

/** Applies a change. A channel that is paused twice stays paused by the first person. */
function apply(
  settings: ChannelSettings,
  { paused, time_zone, spending, ...change }: SettingsChange,
  pause: NonNullable<ChannelSettings["paused"]>,
): void {
  const changes = {
    ...change,
    time_zone: time_zone && timeZoneNamed(time_zone),
    spending: spending && { ...settings.spending, ...spending },
    paused: paused ? (settings.paused ?? pause) : paused === false ? null : undefined,
  };
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  Object.assign(settings, Object.fromEntries(given.map(([name, value]) => [name, value ?? undefined])));
}

/** The time zones people can choose from, without aliases. */
export function timeZones(): string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone")];
}

/** Up to three zones whose name or city looks like the text, best first. */
function nearestTimeZones(text: string): string[] {
  const wanted = text.trim().replaceAll(" ", "_");
  const zones = timeZones();
  const byCity = new Map(zones.map((zone) => [zone.slice(zone.lastIndexOf("/") + 1), zone]));
  const cities = nearestNames(wanted, byCity.keys()).flatMap((city) => byCity.get(city) ?? []);
  return [...new Set([...nearestNames(wanted, zones), ...cities])].slice(0, 3);
}
