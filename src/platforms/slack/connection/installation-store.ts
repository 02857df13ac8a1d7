import { randomUUID } from "node:crypto";
import type { Installation, InstallationStore, InstallURLOptions, StateStore } from "@slack/bolt";
import { ExpiringEntries } from "../../../app/chat/expiring-entries.ts";
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

const organisationKey = (team: string) => organisationPrefix + team;

/** Which workspaces use the installation of their organisation (Enterprise Grid). */
export class Organisations {
  readonly #store: KeyValue;
  /** What this process has stored last: each event is asked about. */
  readonly #known = new Map<string, string | undefined>();

  constructor(store: KeyValue) {
    this.#store = store;
  }

  /** The id under which the app is installed for a workspace: its own, or its organisation's. */
  async homeOf(team: string): Promise<string> {
    return ((await this.#store.get(organisationKey(team))) as string | undefined) ?? team;
  }

  /** An event of the workspace says whose installation it uses; undefined: its own. */
  async learn(team: string, organisation: string | undefined): Promise<void> {
    if (this.#known.has(team) && this.#known.get(team) === organisation) return;
    const key = organisationKey(team);
    if (organisation !== undefined) await this.#store.set(key, organisation);
    else if ((await this.#store.get(key)) !== undefined) await this.#store.delete(key);
    this.#known.set(team, organisation);
  }
}

/**
 * The states of open installations: each is valid once, for ten minutes. Bolt also compares them with a cookie, so that nobody
 * can make another person's browser finish an installation.
 */
export function createStateStore(store: KeyValue, clock: Clock): StateStore {
  const states = new ExpiringEntries<OpenInstallation>(store, clock, "slack-install-states", {
    most: maxStates,
  });
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
