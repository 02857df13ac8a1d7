import type { webApi } from "@slack/bolt";
import { PlatformError } from "../../../core/ports/chat-platform.ts";
import type { Clock } from "../../../core/ports/storage.ts";
import { SlackError, slackCall } from "./slack-call.ts";
import { type DirectMessages, directMessagesOf } from "./slack-options.ts";

export type WebClient = webApi.WebClient;

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

export interface Workspaces {
  /** @throws PlatformError `gone` where the app is not installed */
  of(team: string): Promise<Workspace>;
  /** Calls the Web API in a workspace, and notes when its token is refused. @throws PlatformError */
  call<T>(team: string, what: string, call: (workspace: Workspace) => Promise<T>): Promise<T>;
  /** Workspaces whose token was refused, with Slack's code. */
  refused(): ReadonlyMap<string, string>;
  forget(team: string): void;
}

export interface WorkspacesDeps {
  /** Looks up the current token. @throws PlatformError */
  credentials(team: string): Promise<Credentials>;
  direct_messages: DirectMessages | "auto";
  /** @param team the workspace that each call names */
  client(token: string, purpose: "read" | "write", team?: string): Promise<WebClient>;
  clock: Clock;
}

/** Lifetime of a cached token, ms, so that rotated ones are picked up. */
const credentialsAge = 10 * 60_000;

export function createWorkspaces({
  credentials,
  direct_messages,
  client,
  clock,
}: WorkspacesDeps): Workspaces {
  const known = new Map<string, { workspace: Promise<Workspace>; until: number }>();
  const refused = new Map<string, string>();

  const make = async (team: string): Promise<Workspace> => {
    const { token, scopes, shared = false, ...who } = await credentials(team);
    const direct = directMessagesOf(direct_messages, scopes);
    const named = shared ? team : undefined;
    const [read, write] = await Promise.all([client(token, "read", named), client(token, "write", named)]);
    return { team, token, ...who, direct, read, write };
  };
  const of = (team: string): Promise<Workspace> => {
    const found = known.get(team);
    if (found !== undefined && found.until > clock.now()) return found.workspace;
    const workspace = make(team);
    known.set(team, { workspace, until: clock.now() + credentialsAge });
    workspace.catch(() => known.delete(team));
    return workspace;
  };
  return {
    of,
    async call(team, what, call) {
      const workspace = await of(team);
      try {
        const result = await slackCall(what, () => call(workspace));
        refused.delete(team);
        return result;
      } catch (error) {
        if (error instanceof SlackError && error.deadToken) {
          refused.set(team, error.slack_code ?? "");
          known.delete(team);
        }
        throw error;
      }
    },
    refused: () => refused,
    forget(team) {
      known.delete(team);
      refused.delete(team);
    },
  };
}

/** Credentials of the single workspace of a bot token. Requested once, and again only after a failure. */
export function createSingleWorkspace(
  token: string,
  client: WorkspacesDeps["client"],
): { team(): Promise<string>; name(): Promise<string>; credentials(team: string): Promise<Credentials> } {
  let asked: Promise<Credentials & { team: string }> | undefined;
  const ask = async () => {
    const web = await client(token, "read");
    const who = await slackCall("say whose token this is", () => web.auth.test());
    const { team_id = "", user_id = "", bot_id = "", team = "", response_metadata } = who;
    const scopes = response_metadata?.scopes;
    return { team: team_id, token, self: user_id, bot: bot_id, name: team, scopes };
  };
  const answer = async () => {
    asked ??= ask();
    try {
      return await asked;
    } catch (error) {
      asked = undefined;
      throw error;
    }
  };
  return {
    team: async () => (await answer()).team,
    name: async () => (await answer()).name,
    async credentials(team) {
      const { team: own, ...rest } = await answer();
      if (own === team) return rest;
      throw new PlatformError("gone", `I am not installed in the Slack workspace ${team}.`);
    },
  };
}
