import type { KeyValue } from "../../core/key-value.ts";
import { readNamespace } from "../../core/namespace-state.ts";
import {
  type CommandResult,
  type PlainCall,
  type PlainCommand,
  refused,
  said,
  shown,
} from "../operations/command.ts";
import { placeWords } from "../operations/place-words.ts";
import type { ChangeSettings } from "../services/channel-settings.ts";
import { timeZones } from "../services/time-zones.ts";

export interface TimeZoneCommandDeps {
  store: KeyValue;
  changeSettings: ChangeSettings;
  /** The zone of channels that have none of their own, IANA name. */
  time_zone: string;
}

/** `/agent timezone`: the zone in which times in a channel are meant. For its managers; everybody may look. */
export function timeZoneCommand(deps: TimeZoneCommandDeps): PlainCommand {
  return {
    name: "agent timezone",
    usage: "[zone|default]",
    description: "The time zone here, for people whose own is not known",
    complete: async () => [
      { text: "default", description: `the server's: ${deps.time_zone}` },
      ...timeZones().map((text) => ({ text, description: "time zone" })),
    ],
    run: (call) => (call.rest === "" ? show(deps, call) : change(deps, call)),
  };
}

async function show({ store, time_zone }: TimeZoneCommandDeps, { place }: PlainCall): Promise<CommandResult> {
  const { settings } = await readNamespace(store, place.namespace);
  const [zone, whose] =
    settings.time_zone === undefined ? [time_zone, "the server's"] : [settings.time_zone, "set here"];
  return shown(
    `The time zone ${placeWords(place.namespace)} is **${zone}** (${whose}). It counts for people whose own zone is not known. A manager changes it: \`/agent timezone Europe/Amsterdam\`, or \`default\` for the server's.`,
  );
}

async function change(
  { changeSettings, time_zone }: TimeZoneCommandDeps,
  { place, author, rest }: PlainCall,
): Promise<CommandResult> {
  const wanted = rest.toLowerCase() === "default" ? null : rest;
  const outcome = await changeSettings(place.namespace, { time_zone: wanted }, author);
  if (!outcome.ok) return refused(outcome.message);
  const zone = outcome.value.settings.time_zone ?? time_zone;
  return said(
    `The time zone ${placeWords(place.namespace)} is **${zone}**${wanted === null ? ", the server's" : ""}, for people whose own zone is not known.`,
  );
}
