import { createHash } from "node:crypto";
import type { OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { KeyValue } from "../../core/ports/storage.ts";
import { type Json, toJson } from "../../core/values/json.ts";
import type { LoginServer } from "../login-port.ts";

/** Tokens of one account, and where they can be revoked. */
export interface StoredTokens {
  tokens: OAuthTokens;
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

/** Stored data of logins. All of it is bound to a server's name and address: at another address none of it is found. */
export interface AccountStore {
  tokens(server: LoginServer, account: string): Promise<StoredTokens | undefined>;
  saveTokens(server: LoginServer, account: string, stored: StoredTokens): Promise<void>;
  /** Replaces others; an account that was disconnected in the meantime stays disconnected. */
  renewTokens(server: LoginServer, account: string, stored: StoredTokens): Promise<void>;
  /** Only tokens with this access token: others have replaced it. */
  dropTokens(server: LoginServer, account: string, accessToken: string): Promise<void>;
  removeTokens(server: LoginServer, account: string): Promise<void>;
  client(server: LoginServer): Promise<StoredClient | undefined>;
  saveClient(server: LoginServer, client: StoredClient): Promise<void>;
  removeClient(server: LoginServer): Promise<void>;
  wanted(server: LoginServer, account: string): Promise<Wanted>;
  saveWanted(server: LoginServer, account: string, wanted: Wanted): Promise<void>;
  /** One per server and account: an earlier link stops working. */
  addPending(state: string, pending: PendingLogin, now: number): Promise<void>;
  /** Reads it without using it up. */
  readPending(state: string, now: number): Promise<PendingLogin | undefined>;
  /** Returns it once. */
  takePending(state: string, now: number): Promise<PendingLogin | undefined>;
  /** Invalidates the link of an account. */
  dropPending(server: LoginServer, account: string): Promise<void>;
}

/** @param store encrypted */
export function createAccountStore(store: KeyValue): AccountStore {
  const read = async <T>(key: string) => ((await store.get(key)) ?? undefined) as T | undefined;
  const write = (key: string, value: object) => store.set(key, toJson(value));
  const tokensOf = (server: LoginServer, account: string) => `tokens:${keyOf(server)}:${account}`;
  const clientOf = (server: LoginServer) => `client:${keyOf(server)}`;
  const wantedOf = (server: LoginServer, account: string) => `wanted:${keyOf(server)}:${account}`;
  return {
    tokens: (server, account) => read<StoredTokens>(tokensOf(server, account)),
    saveTokens: (server, account, stored) => write(tokensOf(server, account), stored),
    async renewTokens(server, account, renewed) {
      await store.update<Json>(tokensOf(server, account), (value) => toJson(value ? renewed : null));
    },
    async dropTokens(server, account, accessToken) {
      const key = tokensOf(server, account);
      await store.update<Json>(key, (value) => {
        const stored = value as unknown as StoredTokens | null | undefined;
        return stored?.tokens.access_token === accessToken ? null : toJson(stored ?? null);
      });
    },
    removeTokens: (server, account) => store.delete(tokensOf(server, account)),
    client: (server) => read<StoredClient>(clientOf(server)),
    saveClient: (server, client) => write(clientOf(server), client),
    removeClient: (server) => store.delete(clientOf(server)),
    wanted: async (server, account) => (await read<Wanted>(wantedOf(server, account))) ?? {},
    saveWanted: (server, account, wanted) => write(wantedOf(server, account), wanted),
    ...createPending(store),
  };
}

type Pending = Record<string, PendingLogin>;

/** All in one value, so that expired ones are removed whenever one is added or taken. */
function createPending(
  store: KeyValue,
): Pick<AccountStore, "addPending" | "readPending" | "takePending" | "dropPending"> {
  const change = (edit: (open: Pending) => Pending) =>
    store.update<Json>("pending", (value) => toJson(edit((value ?? {}) as unknown as Pending)));
  const alive = (open: Pending, now: number) =>
    Object.entries(open).filter(([, { expires_at }]) => expires_at > now);
  return {
    async addPending(state, pending, now) {
      await change((open) => {
        const others = alive(open, now).filter(([, each]) => !isSameAccount(each, pending));
        return Object.fromEntries([...others, [state, pending]]);
      });
    },
    async readPending(state, now) {
      const open = ((await store.get("pending")) ?? {}) as unknown as Pending;
      return new Map(alive(open, now)).get(state);
    },
    async takePending(state, now) {
      let taken: PendingLogin | undefined;
      await change((open) => {
        const left = Object.fromEntries(alive(open, now));
        taken = Object.hasOwn(left, state) ? left[state] : undefined;
        delete left[state];
        return left;
      });
      return taken;
    },
    async dropPending(server, account) {
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

function keyOf({ name, url }: LoginServer): string {
  return createHash("sha256")
    .update(JSON.stringify([name, url]))
    .digest("hex")
    .slice(0, 32);
}
