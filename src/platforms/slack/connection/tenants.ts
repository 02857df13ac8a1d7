import type { Authorize, InstallationQuery, InstallationStore } from "@slack/bolt";
import { backoff } from "../../../base/backoff.ts";
import { unlessAborted } from "../../../base/time-limit.ts";
import { PlatformError } from "../../../core/ports/chat-platform.ts";
import type { Clock, KeyValue } from "../../../core/ports/storage.ts";
import { createInstallationStore, createOrganisations, installedIn } from "./installation-store.ts";
import { fallbackTo } from "./slack-call.ts";
import { isInstalledByMany, type SlackSettings } from "./slack-options.ts";
import {
  type Credentials,
  createSingleWorkspace,
  createWorkspaces,
  type Workspaces,
  type WorkspacesDeps,
} from "./workspaces.ts";

/** The current token of an installation; a rotating one is renewed before it expires. */
export type InstalledToken = (
  team: string,
) => Promise<{ token: string; self: string; bot: string } | undefined>;

/** The workspaces the bot serves: that of the configured token, or all that installed the app. */
export interface Tenants {
  workspaces: Workspaces;
  /** The ids of the workspaces. */
  teams(): Promise<string[]>;
  /** Tells Bolt the token and ids with which an event is handled. */
  authorize: Authorize<boolean>;
  /** Bolt's installer renews tokens; it exists once Bolt is loaded. */
  renewWith(installed: InstalledToken): void;
  /** Returns the name of the single workspace once its token is accepted; retries until the signal. */
  ready(options: {
    signal: AbortSignal;
    failed(error: unknown, waitMs: number): void;
  }): Promise<string | undefined>;
  uninstalled(team: string): Promise<void>;
}

export interface TenantsDeps {
  settings: SlackSettings;
  sealed: KeyValue;
  clock: Clock;
  client: WorkspacesDeps["client"];
}

const waits = { minMs: 1_000, maxMs: 60_000 };

export function createTenants({ settings, sealed, clock, client }: TenantsDeps): Tenants {
  const { bot_token } = settings;
  const single =
    bot_token === undefined || isInstalledByMany(settings)
      ? undefined
      : createSingleWorkspace(bot_token, client);
  const installations = createInstallationStore(sealed);
  const organisations = createOrganisations(sealed);
  let renewed: InstalledToken | undefined;

  const installed = async (team: string): Promise<Credentials> => {
    const home = await organisations.homeOf(team);
    const found = await (renewed ?? storedToken(installations))(home);
    if (found !== undefined) {
      const { bot } = await installations.fetchInstallation(queryOf(home));
      return { ...found, name: team, scopes: bot?.scopes, shared: home !== team };
    }
    throw new PlatformError("gone", `Knack is not installed in the Slack workspace ${team}.`);
  };
  const workspaces = createWorkspaces({
    credentials: single?.credentials ?? installed,
    direct_messages: settings.direct_messages,
    client,
    clock,
  });
  return {
    workspaces,
    teams: async () => (single === undefined ? installedIn(sealed) : [await single.team()]),
    async authorize({ teamId, enterpriseId, isEnterpriseInstall }) {
      if (single === undefined && teamId !== undefined)
        await organisations.learn(teamId, isEnterpriseInstall ? enterpriseId : undefined);
      const team = single === undefined ? (teamId ?? enterpriseId ?? "") : await single.team();
      const { token, self, bot, direct } = await workspaces.of(team);
      return { teamId: team, botToken: token, botId: bot, botUserId: self, direct };
    },
    renewWith(token) {
      renewed = token;
    },
    async ready({ signal, failed }) {
      for (let tries = 1; single !== undefined; tries += 1) {
        const wait = backoff(tries, waits);
        try {
          return await unlessAborted(signal, () => single.name());
        } catch (error) {
          signal.throwIfAborted();
          failed(error, wait);
        }
        await clock.sleep(wait, signal);
      }
      return undefined;
    },
    async uninstalled(team) {
      await installations.deleteInstallation?.(queryOf(await organisations.homeOf(team)));
      await organisations.learn(team, undefined);
      workspaces.forget(team);
      if (single !== undefined) await askAgain(workspaces, team);
    },
  };
}

/** A configured token cannot be removed. One request updates the status at once. */
async function askAgain(workspaces: Workspaces, team: string): Promise<void> {
  await workspaces
    .call(team, "say whose token this is", ({ read }) => read.auth.test())
    .catch(fallbackTo(undefined));
}

function storedToken(installations: InstallationStore): InstalledToken {
  return async (teamId) => {
    const { bot } = await installations.fetchInstallation(queryOf(teamId));
    return bot && { token: bot.token, self: bot.userId, bot: bot.id };
  };
}

function queryOf(teamId: string): InstallationQuery<false> {
  return { teamId, enterpriseId: undefined, isEnterpriseInstall: false };
}
