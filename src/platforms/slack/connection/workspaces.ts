import { PlatformError } from "../../../core/ports/chat-platform.ts";
import type { Clock } from "../../../core/ports/storage.ts";
import type { MakeClient, WebClient } from "./sdk-clients.ts";
import { SlackError, slackCall } from "./slack-call.ts";
import { type DirectMessages, directMessagesOf, type SlackSettings } from "./slack-settings.ts";

/** A workspace the bot is installed in, with its clients. */
export interface Workspace {
  team: string;
  name: string;
  /** User id of the bot. */
  self: string;
  /** Bot id of the bot, as messages have it. */
  bot: string;
  direct: DirectMessages;
  token: string;
  /** Retries at once after a lost connection. */
  read: WebClient;
  /** Never retries: the caller must know whether a message was posted. */
  write: WebClient;
}

/** The token of a workspace and who the bot is there. */
export interface Credentials {
  token: string;
  self: string;
  bot: string;
  name: string;
  /** The scopes of the token; undefined if Slack does not report them. */
  scopes: readonly string[] | undefined;
  /** The token is that of an organisation, so that each call has to name the workspace. */
  shared?: boolean;
}

/** Lifetime of a cached token, ms, so that rotated ones are picked up. */
const credentialsAge = 10 * 60_000;

/** The workspaces that the bot is installed in. */
export class Workspaces {
  readonly #credentials: (team: string) => Promise<Credentials>;
  readonly #directMessages: SlackSettings["direct_messages"];
  readonly #client: MakeClient;
  readonly #clock: Clock;
  readonly #known = new Map<string, { workspace: Promise<Workspace>; until: number }>();
  readonly #refused = new Map<string, string>();

  /** @param credentials looks up the current token of a workspace. @throws PlatformError */
  constructor(
    credentials: (team: string) => Promise<Credentials>,
    directMessages: SlackSettings["direct_messages"],
    client: MakeClient,
    clock: Clock,
  ) {
    this.#credentials = credentials;
    this.#directMessages = directMessages;
    this.#client = client;
    this.#clock = clock;
  }

  /** @throws PlatformError `gone` where the app is not installed */
  of(team: string): Promise<Workspace> {
    const found = this.#known.get(team);
    if (found !== undefined && found.until > this.#clock.now()) return found.workspace;
    const workspace = this.#make(team);
    this.#known.set(team, { workspace, until: this.#clock.now() + credentialsAge });
    workspace.catch(() => this.#known.delete(team));
    return workspace;
  }

  /** Calls the Web API in a workspace, and notes when its token is refused. @throws PlatformError */
  async call<T>(team: string, what: string, call: (workspace: Workspace) => Promise<T>): Promise<T> {
    const workspace = await this.of(team);
    try {
      const result = await slackCall(what, () => call(workspace));
      this.#refused.delete(team);
      return result;
    } catch (error) {
      if (error instanceof SlackError && error.deadToken) {
        this.#refused.set(team, error.slack_code ?? "");
        this.#known.delete(team);
      }
      throw error;
    }
  }

  /** Workspaces whose token was refused, with Slack's code. */
  refused(): ReadonlyMap<string, string> {
    return this.#refused;
  }

  forget(team: string): void {
    this.#known.delete(team);
    this.#refused.delete(team);
  }

  async #make(team: string): Promise<Workspace> {
    const { token, scopes, shared = false, ...who } = await this.#credentials(team);
    const direct = directMessagesOf(this.#directMessages, scopes);
    const named = shared ? team : undefined;
    const [read, write] = await Promise.all([
      this.#client(token, "read", named),
      this.#client(token, "write", named),
    ]);
    return { team, token, ...who, direct, read, write };
  }
}

/** The single workspace of a bot token. Requested once, and again only after a failure. */
export class SingleWorkspace {
  readonly #token: string;
  readonly #client: MakeClient;
  #asked: Promise<Credentials & { team: string }> | undefined;

  constructor(token: string, client: MakeClient) {
    this.#token = token;
    this.#client = client;
  }

  async team(): Promise<string> {
    return (await this.#answer()).team;
  }

  async name(): Promise<string> {
    return (await this.#answer()).name;
  }

  async credentials(team: string): Promise<Credentials> {
    const { team: own, ...rest } = await this.#answer();
    if (own === team) return rest;
    throw new PlatformError("gone", `I am not installed in the Slack workspace ${team}.`);
  }

  #answer(): Promise<Credentials & { team: string }> {
    this.#asked ??= this.#ask().catch((error: unknown) => {
      this.#asked = undefined;
      throw error;
    });
    return this.#asked;
  }

  async #ask(): Promise<Credentials & { team: string }> {
    const web = await this.#client(this.#token, "read");
    const who = await slackCall("say whose token this is", () => web.auth.test());
    const { team_id = "", user_id = "", bot_id = "", team = "", response_metadata } = who;
    const scopes = response_metadata?.scopes;
    return { team: team_id, token: this.#token, self: user_id, bot: bot_id, name: team, scopes };
  }
}
