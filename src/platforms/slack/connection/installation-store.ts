import { randomUUID } from "node:crypto";
import type { Installation, InstallationStore, InstallURLOptions, StateStore } from "@slack/bolt";
import { createExpiringEntries } from "../../../app/chat/expiring-entries.ts";
import { PlatformError } from "../../../core/ports/chat-platform.ts";
import type { Clock, KeyValue } from "../../../core/ports/storage.ts";
import { type Json, toJson } from "../../../core/values/json.ts";

const prefix = "slack-installation:";
const organisationPrefix = "slack-organisation:";
const installationKey = (team: string) => prefix + team;

/** The workspaces that installed the app, and those of organisations that did as far as they were heard of, by their ids. */
export async function installedIn(sealed: KeyValue): Promise<string[]> {
  const ids = async (before: string) =>
    (await Array.fromAsync(sealed.keys(before))).map((key) => key.slice(before.length));
  const own = (await ids(prefix)).filter((id) => !id.startsWith("E"));
  return [...new Set([...own, ...(await ids(organisationPrefix))])];
}

/** Maximum time between the install page and Slack's answer, ms. */
const stateLife = 10 * 60_000;

/** Maximum open installations; the oldest is dropped first. Anybody can open the install page, which must not fill the store. */
const maxStates = 200;

type OpenInstallation = { until: number; options: Json };

/** Installations of the app, one per workspace, in an encrypted store. @throws PlatformError `gone` without an installation */
export function createInstallationStore(sealed: KeyValue): InstallationStore {
  return {
    async storeInstallation(installation) {
      await sealed.set(installationKey(teamOf(installation)), toJson(installation));
    },
    async fetchInstallation({ teamId, enterpriseId }) {
      const team = teamId ?? enterpriseId ?? "";
      const stored = await sealed.get(installationKey(team));
      if (stored !== undefined) return stored as unknown as Installation;
      throw new PlatformError("gone", `Knack is not installed in the Slack workspace ${team}.`);
    },
    async deleteInstallation({ teamId, enterpriseId }) {
      await sealed.delete(installationKey(teamId ?? enterpriseId ?? ""));
    },
  };
}

/** Which workspaces use the installation of their organisation (Enterprise Grid). */
export interface Organisations {
  /** The id under which the app is installed for a workspace: its own, or its organisation's. */
  homeOf(team: string): Promise<string>;
  /** An event of the workspace says whose installation it uses; undefined: its own. */
  learn(team: string, organisation: string | undefined): Promise<void>;
}

const organisationKey = (team: string) => organisationPrefix + team;

export function createOrganisations(store: KeyValue): Organisations {
  /** As other processes know it, too: each event is asked about. */
  const known = new Map<string, string | undefined>();
  const read = async (team: string) => (await store.get(organisationKey(team))) as string | undefined;
  return {
    homeOf: async (team) => (await read(team)) ?? team,
    async learn(team, organisation) {
      if (known.has(team) && known.get(team) === organisation) return;
      if (organisation !== undefined) await store.set(organisationKey(team), organisation);
      else if ((await read(team)) !== undefined) await store.delete(organisationKey(team));
      known.set(team, organisation);
    },
  };
}

/**
 * The states of open installations: each is valid once, for ten minutes. Bolt also compares them with a cookie, so that nobody
 * can make another person's browser finish an installation.
 */
export function createStateStore(store: KeyValue, clock: Clock): StateStore {
  const place = { store, clock, key: "slack-install-states", most: maxStates };
  const states = createExpiringEntries<OpenInstallation>(place);
  return {
    async generateStateParam(options) {
      const state = randomUUID();
      const begun = { until: clock.now() + stateLife, options: toJson(options) };
      await states.change(state, () => begun);
      return state;
    },
    async verifyStateParam(_now, state) {
      const found = await states.change(state, () => undefined);
      if (found !== undefined) return found.options as unknown as InstallURLOptions;
      throw new InstallStateError(
        "This link was already used or is older than ten minutes. Start the installation again.",
      );
    },
  };
}

/** Has the code of Bolt's own state stores, so that Bolt shows its page for a refused installation. */
class InstallStateError extends Error {
  readonly code = "slack_oauth_invalid_state";
}

function teamOf({ team, enterprise }: Installation): string {
  return team?.id ?? enterprise?.id ?? "";
}
