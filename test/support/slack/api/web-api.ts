import type { IncomingHttpHeaders } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { assistantMethods } from "../methods/assistant-methods.ts";
import { chatMethods } from "../methods/chat-methods.ts";
import { conversationMethods } from "../methods/conversation-methods.ts";
import { fileMethods } from "../methods/file-methods.ts";
import { oauthMethods } from "../methods/oauth-methods.ts";
import { pinMethods, reactionMethods } from "../methods/reaction-methods.ts";
import { streamMethods } from "../methods/stream-methods.ts";
import { userMethods } from "../methods/user-methods.ts";
import { viewMethods } from "../methods/view-methods.ts";
import type { CallRecord, Token } from "../world/world.ts";
import { CallArguments } from "./call-arguments.ts";
import type { Faults } from "./faults.ts";
import type { Backend, Method, MethodCall } from "./method.ts";
import { SlackRefusal } from "./slack-refusal.ts";

const methods: Readonly<Record<string, Method>> = {
  ...assistantMethods,
  ...chatMethods,
  ...conversationMethods,
  ...fileMethods,
  ...oauthMethods,
  ...pinMethods,
  ...reactionMethods,
  ...streamMethods,
  ...userMethods,
  ...viewMethods,
};

export interface ApiRequest {
  method: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface ApiReply {
  status: number;
  headers?: Record<string, string>;
  body: Record<string, unknown> | string;
}

/** Answers a Web API call and keeps it in the log of calls. */
export async function answerCall(backend: Backend, faults: Faults, request: ApiRequest): Promise<ApiReply> {
  const given = CallArguments.parse(request.body, request.headers["content-type"] ?? "");
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1];
  const token = bearer ?? given.text("token") ?? "";
  const { token: _, ...visible } = given.all;
  const record: CallRecord = {
    method: request.method,
    arguments: visible,
    token,
    at: Date.now(),
    status: 200,
    ok: false,
  };
  backend.world.calls.push(record);
  const reply = await replyTo(backend, faults, request, given, token);
  record.status = reply.status;
  if (typeof reply.body !== "string") {
    record.ok = reply.body.ok === true;
    if (typeof reply.body.error === "string") record.error = reply.body.error;
  }
  backend.world.touch();
  return reply;
}

async function replyTo(
  backend: Backend,
  faults: Faults,
  request: ApiRequest,
  given: CallArguments,
  token: string,
): Promise<ApiReply> {
  for (const hit of faults.next(request.method)) {
    if ("delayMs" in hit) await delay(hit.delayMs);
    else if ("rateLimited" in hit) return tooMany(hit.rateLimited);
    else if ("status" in hit) return { status: hit.status, body: "<html>the fake was told to fail</html>" };
    else return { status: 200, body: { ok: false, error: hit.error } };
  }
  try {
    const method = methods[request.method];
    if (method === undefined) throw new SlackRefusal("unknown_method", { req_method: request.method });
    const call = authorize(backend, method, given, token, request.headers.authorization);
    const wait = faults.rateLimited(request.method, call.workspace.id, given.text("channel") ?? "");
    if (wait !== undefined) return tooMany(wait);
    return {
      status: 200,
      headers: { "x-oauth-scopes": call.token.scopes.join(",") },
      body: { ok: true, ...(await method.run(call)) },
    };
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error;
    return { status: 200, body: { ok: false, error: error.code, ...error.details } };
  }
}

function tooMany(seconds: number): ApiReply {
  return {
    status: 429,
    headers: { "retry-after": String(seconds) },
    body: { ok: false, error: "ratelimited" },
  };
}

function authorize(
  backend: Backend,
  method: Method,
  given: CallArguments,
  text: string,
  authorization: string | undefined,
): MethodCall {
  const client = clientOf(given, authorization);
  const [anyWorkspace] = backend.world.workspaces.values();
  if (anyWorkspace === undefined) throw new Error("The fake Slack has no workspace.");
  if (method.token === "none") {
    const none: Token = { token: "", kind: "app", team_id: "", scopes: [] };
    return { ...backend, arguments: given, token: none, workspace: anyWorkspace, client };
  }
  const token = checkedToken(backend, text, method.token);
  const named = given.text("team_id");
  if (token.enterprise_id !== undefined && named !== token.team_id && method !== methods["auth.test"])
    throw new SlackRefusal(named === undefined ? "missing_argument" : "team_access_not_granted");
  const workspace = backend.world.workspaces.get(token.team_id) ?? anyWorkspace;
  const call: MethodCall = { ...backend, arguments: given, token, workspace, client };
  const needed = typeof method.scope === "function" ? method.scope(call) : method.scope;
  if (needed !== undefined && !token.scopes.includes(needed))
    throw new SlackRefusal("missing_scope", { needed, provided: token.scopes.join(",") });
  return call;
}

function checkedToken(backend: Backend, text: string, kind: "bot" | "app"): Token {
  if (text === "") throw new SlackRefusal("not_authed");
  const token = backend.world.tokens.get(text);
  if (token === undefined) throw new SlackRefusal("invalid_auth");
  if (token.refused !== undefined) throw new SlackRefusal(token.refused);
  if (token.expires_at !== undefined && token.expires_at <= Date.now())
    throw new SlackRefusal("token_expired");
  if (token.kind !== kind) throw new SlackRefusal("not_allowed_token_type");
  return token;
}

function clientOf(given: CallArguments, authorization: string | undefined): { id: string; secret: string } {
  const basic = /^Basic (.+)$/.exec(authorization ?? "")?.[1];
  if (basic === undefined)
    return { id: given.text("client_id") ?? "", secret: given.text("client_secret") ?? "" };
  const [id = "", secret = ""] = Buffer.from(basic, "base64").toString().split(":");
  return { id, secret };
}
