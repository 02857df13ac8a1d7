/** A tool server and its login in one: real HTTP on loopback, tokens that can run out, refresh tokens that work once. */
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface OAuthServer {
  url: string;
  origin: string;
  /** Requests to the login in order: `register`, `token authorization_code`, `token refresh_token`, `revoke TOKEN`. */
  log: string[];
  /** Clients as they registered. */
  registered: Record<string, unknown>[];
  /** Makes the access tokens given out so far worthless. */
  expire(): void;
  /** The same of everything it gave out. */
  forgetGrants(): void;
  /** What a tool call needs; `tools/list` needs `read`. */
  needed: { scope: string };
  /** What metadata of the login says besides the usual. */
  metadata: Record<string, unknown>;
  /** What stands in place of the description of the login; OpenID's is there all the same. */
  page?: string;
  /** Tokens that tools were called with, in order. */
  callers: string[];
  /** Headers of the last request to `/register`, `/token` and `/mcp`. */
  headers: Record<string, IncomingMessage["headers"]>;
}

interface Grant {
  scope: string;
  client: string;
  challenge?: string;
}

export async function startOAuthServer(): Promise<OAuthServer> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const codes = new Map<string, Grant>();
  const refreshable = new Map<string, Grant>();
  let access = new Map<string, Grant>();
  const state: OAuthServer = {
    url: `${origin}/mcp`,
    origin,
    log: [],
    registered: [],
    expire: () => {
      access = new Map();
    },
    forgetGrants: () => {
      access = new Map();
      refreshable.clear();
    },
    needed: { scope: "read" },
    metadata: {},
    callers: [],
    headers: {},
  };

  type Respond = (status: number, value: unknown, headers?: Record<string, string>) => unknown;

  const routes: Record<string, (query: URLSearchParams, body: string, respond: Respond) => unknown> = {
    "/.well-known/oauth-protected-resource/mcp": (_query, _body, respond) =>
      respond(200, { resource: state.url, authorization_servers: [origin], scopes_supported: ["read"] }),
    "/.well-known/oauth-authorization-server": (_query, _body, respond) => respond(200, aboutLogin()),
    "/register": (_query, body, respond) => {
      state.log.push("register");
      const client = {
        ...JSON.parse(body || "{}"),
        client_id: randomUUID(),
        client_secret: "registered-secret",
      };
      state.registered.push(client);
      return respond(201, client);
    },
    "/authorize": (query, _body, respond) => {
      const code = randomUUID();
      const value = (name: string) => query.get(name) ?? "";
      codes.set(code, {
        scope: value("scope"),
        client: value("client_id"),
        challenge: value("code_challenge"),
      });
      const back = new URL(value("redirect_uri"));
      back.searchParams.set("code", code);
      back.searchParams.set("state", value("state"));
      return respond(302, {}, { location: back.href });
    },
    "/token": (_query, body, respond) => token(new URLSearchParams(body), respond),
    "/revoke": (_query, body, respond) => {
      const form = new URLSearchParams(body);
      state.log.push(`revoke ${form.get("token_type_hint")}`);
      refreshable.delete(form.get("token") ?? "");
      return respond(200, {});
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { pathname, searchParams } = new URL(request.url ?? "/", origin);
    state.headers[pathname] = request.headers;
    const body = request.method === "POST" ? await text(request) : "";
    const respond: Respond = (status, value, headers = {}) =>
      response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(JSON.stringify(value));
    if (pathname === "/mcp") return mcp(request, body, respond);
    const isPage = pathname.startsWith("/.well-known/oauth-authorization-server") && state.page !== undefined;
    if (isPage) return response.writeHead(200, { "content-type": "text/html" }).end(state.page);
    if (pathname === "/.well-known/openid-configuration") return respond(200, aboutLogin());
    const route = routes[pathname];
    return route === undefined ? respond(404, {}) : route(searchParams, body, respond);
  }

  function aboutLogin() {
    return {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      revocation_endpoint: `${origin}/revoke`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["client_secret_basic"],
      ...{ jwks_uri: `${origin}/keys`, subject_types_supported: ["public"] },
      id_token_signing_alg_values_supported: ["ES256"],
      ...state.metadata,
    };
  }

  function token(form: URLSearchParams, json: Respond) {
    const kind = form.get("grant_type") ?? "";
    state.log.push(`token ${kind}`);
    const given = form.get("code") ?? form.get("refresh_token") ?? "";
    const store = kind === "refresh_token" ? refreshable : codes;
    const grant: Grant | undefined =
      kind === "client_credentials" ? { scope: form.get("scope") ?? "", client: "" } : store.get(given);
    store.delete(given);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (grant === undefined || (kind === "authorization_code" && grant.challenge !== challenge)) {
      return json(400, { error: "invalid_grant", error_description: "no such\ngrant" });
    }
    const access_token = `access-${randomUUID()}`;
    const refresh_token = `refresh-${randomUUID()}`;
    access.set(access_token, grant);
    refreshable.set(refresh_token, grant);
    const { scope } = grant;
    return json(200, { access_token, refresh_token, token_type: "Bearer", expires_in: 3600, scope });
  }

  function mcp(request: IncomingMessage, body: string, json: Respond) {
    if (request.method !== "POST") return json(405, {});
    const { id, method } = JSON.parse(body) as { id?: number; method: string };
    const bearer = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
    const grant = access.get(bearer);
    const described = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    if (grant === undefined) {
      return json(401, { error: "invalid_token" }, { "www-authenticate": `Bearer ${described}` });
    }
    if (method === "tools/call") state.callers.push(bearer);
    const scope = method === "tools/call" ? state.needed.scope : "read";
    if (!grant.scope.split(" ").includes(scope)) {
      const header = `Bearer error="insufficient_scope", scope="${scope}", ${described}`;
      return json(403, { error: "insufficient_scope" }, { "www-authenticate": header });
    }
    if (id === undefined) return json(202, {});
    return json(200, { jsonrpc: "2.0", id, result: resultOf(method) });
  }
  return state;
}

function resultOf(method: string): unknown {
  const about = { name: "notes", version: "1" };
  if (method === "initialize") {
    return { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: about };
  }
  if (method === "tools/list") return { tools: [{ name: "add", inputSchema: { type: "object" } }] };
  return { content: [{ type: "text", text: "done" }] };
}
