import type { Authorize, InstallationQuery, InstallationStore } from "@slack/bolt";
import { backoff } from "../../../base/backoff.ts";
import { unlessAborted } from "../../../base/time-limit.ts";
import { PlatformError } from "../../../core/ports/chat-platform.ts";
import type { Clock, KeyValue } from "../../../core/ports/storage.ts";
import { createInstallationStore, installedIn, Organisations } from "./installation-store.ts";
import type { MakeClient } from "./sdk-clients.ts";
import { fallbackTo } from "./slack-call.ts";
import { isInstalledByMany, type SlackSettings } from "./slack-settings.ts";
import { type Credentials, SingleWorkspace, Workspaces } from "./workspaces.ts";

/** The current token of an installation; a rotating one is renewed before it expires. */
export type InstalledToken = (
  team: string,
) => Promise<{ token: string; self: string; bot: string } | undefined>;

const waits = { minMs: 1_000, maxMs: 60_000 };

/** The workspaces the bot serves: that of the configured token, or all that installed the app. */
export class Tenants {
  readonly workspaces: Workspaces;
  readonly #sealed: KeyValue;
  readonly #clock: Clock;
  readonly #single: SingleWorkspace | undefined;
  readonly #installations: InstallationStore;
  readonly #organisations: Organisations;
  #renewed: InstalledToken | undefined;

  /** @param sealed an encrypted store: it has the tokens of installations */
  constructor(settings: SlackSettings, sealed: KeyValue, clock: Clock, client: MakeClient) {
    const { bot_token } = settings;
    const single =
      bot_token === undefined || isInstalledByMany(settings)
        ? undefined
        : new SingleWorkspace(bot_token, client);
    this.#sealed = sealed;
    this.#clock = clock;
    this.#single = single;
    this.#installations = createInstallationStore(sealed);
    this.#organisations = new Organisations(sealed);
    const credentials = (team: string) => single?.credentials(team) ?? this.#installed(team);
    this.workspaces = new Workspaces(credentials, settings.direct_messages, client, clock);
  }

  /** The ids of the workspaces. */
  async teams(): Promise<string[]> {
    return this.#single === undefined ? installedIn(this.#sealed) : [await this.#single.team()];
  }

  /** Tells Bolt the token and ids with which an event is handled. */
  authorize: Authorize<boolean> = async ({ teamId, enterpriseId, isEnterpriseInstall }) => {
    if (this.#single === undefined && teamId !== undefined)
      await this.#organisations.learn(teamId, isEnterpriseInstall ? enterpriseId : undefined);
    const team = this.#single === undefined ? (teamId ?? enterpriseId ?? "") : await this.#single.team();
    const { token, self, bot, direct } = await this.workspaces.of(team);
    return { teamId: team, botToken: token, botId: bot, botUserId: self, direct };
  };

  /** Bolt's installer renews tokens; it exists once Bolt is loaded. */
  renewWith(token: InstalledToken): void {
    this.#renewed = token;
  }

  /** Returns the name of the single workspace once its token is accepted; retries until the signal. */
  async ready(
    signal: AbortSignal,
    failed: (error: unknown, waitMs: number) => void,
  ): Promise<string | undefined> {
    const single = this.#single;
    for (let tries = 1; single !== undefined; tries += 1) {
      const wait = backoff(tries, waits);
      try {
        return await unlessAborted(signal, () => single.name());
      } catch (error) {
        signal.throwIfAborted();
        failed(error, wait);
      }
      await this.#clock.sleep(wait, signal);
    }
    return undefined;
  }

  async uninstalled(team: string): Promise<void> {
    await this.#installations.deleteInstallation?.(queryOf(await this.#organisations.homeOf(team)));
    await this.#organisations.learn(team, undefined);
    this.workspaces.forget(team);
    if (this.#single !== undefined) await askAgain(this.workspaces, team);
  }

  async #installed(team: string): Promise<Credentials> {
    const home = await this.#organisations.homeOf(team);
    const found = await (this.#renewed ?? storedToken(this.#installations))(home);
    if (found === undefined)
      throw new PlatformError("gone", `Knack is not installed in the Slack workspace ${team}.`);
    const { bot } = await this.#installations.fetchInstallation(queryOf(home));
    return { ...found, name: team, scopes: bot?.scopes, shared: home !== team };
  }
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
