import { hash } from "node:crypto";
import type {
  OAuthClientInformationMixed,
  OAuthDiscoveryState,
  OAuthTokens,
} from "@modelcontextprotocol/client";
import type { KeyValue } from "../../core/ports/storage.ts";
import { type Json, toJson } from "../../core/values/json.ts";
import type { LoginServer } from "../login-port.ts";

/** Tokens of one account, and where they can be revoked. */
export interface StoredTokens {
  tokens: OAuthTokens;
  /** Another one for each login of a person; absent if the bot logs in itself. Renewed tokens keep it. */
  login?: string | undefined;
  revocation_endpoint?: string | undefined;
  revocation_methods?: string[] | undefined;
}

/** The client that the bot is for a server's login. It was registered with `redirect_url`; another one needs another registration. */
interface StoredClient {
  information: OAuthClientInformationMixed;
  redirect_url?: string | undefined;
}

/** The scopes a server demanded when it rejected a connection; the next login requests them. */
interface Wanted {
  scope?: string | undefined;
  resource_metadata_url?: string | undefined;
}

/** A login that a person has begun. */
export interface PendingLogin {
  server: LoginServer;
  account: string;
  /** Display name of the person who asked. */
  shown: string;
  verifier: string;
  client: OAuthClientInformationMixed;
  discovery: OAuthDiscoveryState;
  redirect_url: string;
  /** ms since the epoch. */
  expires_at: number;
}

export type AccountStore = ReturnType<typeof createAccountStore>;

/**
 * Stored data of logins. All of it is bound to a server's name and address: at another address none of it is found.
 * @param store encrypted
 */
export function createAccountStore(store: KeyValue) {
  const read = async <T>(key: string) => ((await store.get(key)) ?? undefined) as T | undefined;
  const write = (key: string, value: object) => store.set(key, toJson(value));
  const tokensOf = (server: LoginServer, account: string) => `tokens:${keyOf(server)}:${account}`;
  const changeTokens = (
    server: LoginServer,
    account: string,
    edit: (stored: StoredTokens) => StoredTokens | null,
  ) =>
    store.update<Json>(tokensOf(server, account), (value) =>
      toJson(value ? edit(value as unknown as StoredTokens) : null),
    );
  const clientOf = (server: LoginServer) => `client:${keyOf(server)}`;
  const wantedOf = (server: LoginServer, account: string) => `wanted:${keyOf(server)}:${account}`;
  return {
    tokens: (server: LoginServer, account: string) => read<StoredTokens>(tokensOf(server, account)),
    saveTokens: (server: LoginServer, account: string, stored: StoredTokens) =>
      write(tokensOf(server, account), stored),
    /** Replaces others of the same login; an account that was disconnected in the meantime stays disconnected. */
    renewTokens: (server: LoginServer, account: string, renewed: StoredTokens) =>
      changeTokens(server, account, (stored) => (stored.login === renewed.login ? renewed : stored)),
    /** Only tokens with this access token: others have replaced it. */
    dropTokens: (server: LoginServer, account: string, accessToken: string) =>
      changeTokens(server, account, (stored) => (stored.tokens.access_token === accessToken ? null : stored)),
    removeTokens: (server: LoginServer, account: string) => store.delete(tokensOf(server, account)),
    client: (server: LoginServer) => read<StoredClient>(clientOf(server)),
    saveClient: (server: LoginServer, client: StoredClient) => write(clientOf(server), client),
    removeClient: (server: LoginServer) => store.delete(clientOf(server)),
    wanted: async (server: LoginServer, account: string) =>
      (await read<Wanted>(wantedOf(server, account))) ?? {},
    saveWanted: (server: LoginServer, account: string, wanted: Wanted) =>
      write(wantedOf(server, account), wanted),
    ...createPending(store),
  };
}

type Pending = Record<string, PendingLogin>;

/** All in one value, so that expired ones are removed whenever one is added or taken. */
function createPending(store: KeyValue) {
  const change = (edit: (open: Pending) => Pending) =>
    store.update<Json>("pending", (value) => toJson(edit((value ?? {}) as unknown as Pending)));
  const alive = (open: Pending, now: number) =>
    Object.entries(open).filter(([, { expires_at }]) => expires_at > now);
  return {
    /** One per server and account: an earlier link stops working. */
    addPending: (state: string, pending: PendingLogin, now: number) =>
      change((open) => {
        const others = alive(open, now).filter(([, each]) => !isSameAccount(each, pending));
        return Object.fromEntries([...others, [state, pending]]);
      }),
    /** Reads it without using it up. */
    async readPending(state: string, now: number): Promise<PendingLogin | undefined> {
      const open = ((await store.get("pending")) ?? {}) as unknown as Pending;
      return new Map(alive(open, now)).get(state);
    },
    /** Returns it once. */
    async takePending(state: string, now: number): Promise<PendingLogin | undefined> {
      let taken: PendingLogin | undefined;
      await change((open) => {
        const left = Object.fromEntries(alive(open, now));
        taken = Object.hasOwn(left, state) ? left[state] : undefined;
        delete left[state];
        return left;
      });
      return taken;
    },
    /** Invalidates the link of an account. */
    async dropPending(server: LoginServer, account: string): Promise<void> {
      if ((await store.get("pending")) === undefined) return;
      await change((open) => {
        const others = Object.entries(open).filter(([, each]) => !isSameAccount(each, { server, account }));
        return Object.fromEntries(others);
      });
    },
  };
}

function isSameAccount(a: PendingLogin, b: Pick<PendingLogin, "server" | "account">): boolean {
  return a.account === b.account && keyOf(a.server) === keyOf(b.server);
}

/** Identifies a server with its address. */
export function keyOf({ name, url }: LoginServer): string {
  return hash("sha256", JSON.stringify([name, url]), "hex").slice(0, 32);
}
