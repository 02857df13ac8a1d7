import { hash } from "node:crypto";
import { z } from "zod";
import { isRecord } from "../base/record.ts";
import { nearestNames } from "../base/text/nearest-name.ts";
import { percentDecoded } from "../base/text/percent-decoded.ts";
import { serverSkillId } from "../core/skill/catalogue.ts";
import type { Diagnostic } from "../core/skill/skill.ts";
import { approvers } from "../core/values/inbound.ts";
import { canonicalJson, type Json, objectOf } from "../core/values/json.ts";
import { type Environment, expandVariables } from "./expand-variables.ts";
import { oauthSettingsSchema, secretsOfOAuth } from "./login-port.ts";
import { PackagedServer } from "./packaged-servers.ts";
import { isHttp, type ServerConfig, type Target } from "./server-config.ts";

const texts = z.record(z.string(), z.coerce.string());

const approverSchema = z.enum(["none", ...approvers]);

const knackSchema = z.object({
  credentials: z.enum(["none", "shared", "per_user"]).optional(),
  timeout_seconds: z.number().positive().max(86_400).optional(),
  description: z.string().trim().min(1).max(1000).optional(),
  risk: z.enum(["low", "medium", "high"]).default("low"),
  effects: z.record(z.string(), z.enum(["read_only", "idempotent", "side_effect"])).default({}),
  approval: z
    .union([
      approverSchema.transform((approver) => ({ "*": approver })),
      z.record(z.string(), approverSchema),
    ])
    .default({}),
  repeatable: z.array(z.string()).default([]),
  oauth: oauthSettingsSchema.optional(),
});

const anythingllmSchema = z.object({
  autoStart: z.boolean().default(true),
  suppressedTools: z.array(z.string()).default([]),
});

const entrySchema = z.object({
  type: z.string().optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.coerce.string()).default([]),
  env: texts.default({}),
  cwd: z.string().min(1).optional(),
  url: z
    .url({ protocol: /^https?$/, error: "it is not an address that begins with http:// or https://" })
    .optional(),
  headers: texts.default({}),
  disabled: z.boolean().default(false),
  enabled: z.boolean().default(true),
  timeout: z.number().positive().max(86_400_000).optional(),
  autoApprove: z.array(z.string()).default([]),
  anythingllm: anythingllmSchema.prefault({}),
  knack: knackSchema.prefault({}),
});

/** The servers of a file, and its defects. A server that cannot be understood never hides the others. */
export interface ReadServers {
  servers: ServerConfig[];
  diagnostics: Diagnostic[];
}

/** @param entries the value of `mcpServers`, `withPackaged` @param network variables for every server started here, unless its entry sets them */
export function readServers(
  entries: Record<string, unknown>,
  file: string,
  environment: Environment,
  network: Readonly<Record<string, string>> = {},
): ReadServers {
  const diagnostics: Diagnostic[] = [];
  const servers = new Map<string, ServerConfig>();
  for (const [name, entry] of Object.entries(entries)) {
    const read = readServer(name, entry, environment);
    const id = serverSkillId(name);
    const about = { path: file, skill_id: id };
    for (const { code, message } of read.cautions) {
      diagnostics.push({ ...about, severity: "warning", code, message: `Server ${name}: ${message}` });
    }
    const rival = servers.get(id);
    const problem =
      rival === undefined ? read.problem : `its name is the same as that of ${rival.name}. Give it another.`;
    if (problem !== undefined || read.server === undefined) {
      const message = `Server ${name} is left out: ${problem}`;
      diagnostics.push({ ...about, severity: "error", code: "invalid_server", message });
    } else servers.set(id, withNetwork(read.server, network));
  }
  return { servers: [...servers.values()], diagnostics };
}

/** Proxy variables have two spellings: an entry that sets one sets both. Credentials for a proxy or registry are never shown. */
function withNetwork(server: ServerConfig, network: Readonly<Record<string, string>>): ServerConfig {
  const { target, secrets } = server;
  if (target.type !== "stdio") return server;
  const own = new Set(Object.keys(target.env).map((name) => name.toLowerCase()));
  const added = Object.entries(network).filter(([name]) => !own.has(name.toLowerCase()));
  return {
    ...server,
    target: { ...target, env: { ...Object.fromEntries(added), ...target.env } },
    secrets: [...secrets, ...added.flatMap(([, value]) => secretsInAddresses(value))],
  };
}

/** Passwords, and user names that are tokens, in the addresses of a text, both as written and decoded. */
function secretsInAddresses(text: string): string[] {
  return text.split(/[\s,|]+/).flatMap((each) => {
    const { username = "", password = "" } = URL.parse(each) ?? {};
    const secret = password || username;
    return secret === "" ? [] : [secret, percentDecoded(secret)];
  });
}

/** Names that other programs have for the address: Gemini CLI's and Windsurf's. */
const addressNames = ["httpUrl", "serverUrl"];

function withKnownNames(entry: unknown): unknown {
  if (!isRecord(entry)) return entry;
  const other = addressNames.find((name) => typeof entry[name] === "string");
  if (other === undefined || entry.url !== undefined) return entry;
  const { [other]: url, ...rest } = entry;
  return { ...rest, url };
}

interface ReadServer {
  server?: ServerConfig;
  problem?: string;
  cautions: { code: string; message: string }[];
}

function readServer(name: string, written: unknown, environment: Environment): ReadServer {
  if (!/[A-Za-z0-9]/.test(name)) return { problem: "its name has no letter or digit.", cautions: [] };
  const packaged = written instanceof PackagedServer ? written : undefined;
  if (packaged?.problem !== undefined) return { problem: packaged.problem, cautions: [] };
  const entry = packaged?.written ?? withKnownNames(written);
  const { value, missing } =
    packaged === undefined
      ? expandVariables(entry, environment)
      : { value: withKnownNames(packaged.entry), missing: [] };
  const cautions = unknownKeys(value);
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { problem: `${issue?.path.join(".") || "entry"}: ${issue?.message}.`, cautions };
  }
  if (missing.length > 0) {
    const names = missing.join(", ");
    return {
      problem: `${names} ${missing.length === 1 ? "is" : "are"} not set in the environment.`,
      cautions,
    };
  }
  const target = targetOf(parsed.data);
  if (typeof target === "string") return { problem: target, cautions };
  const server = makeServer(name, parsed.data, target, entry);
  server.secrets.push(...(packaged?.secrets ?? []));
  const { credentials = "none", oauth } = parsed.data.knack;
  if (!isHttp(target) && (oauth !== undefined || credentials !== "none")) {
    const message = "knack.credentials and knack.oauth are for tool servers with a url.";
    cautions.push({ code: "no_effect", message });
  }
  return { server, cautions };
}

function makeServer(
  name: string,
  { disabled, enabled, timeout, autoApprove, anythingllm, knack, env, headers }: z.infer<typeof entrySchema>,
  target: Target,
  entry: unknown,
): ServerConfig & { secrets: string[] } {
  const credentials = knack.credentials ?? (knack.oauth === undefined ? "none" : "shared");
  return {
    name,
    target,
    hash: hash("sha256", canonicalJson(entry), "hex"),
    identity: identityOf(entry),
    disabled: disabled || !enabled,
    auto_start: anythingllm.autoStart,
    suppressed: anythingllm.suppressedTools,
    credentials: isHttp(target) ? credentials : "none",
    oauth: knack.oauth ?? {},
    timeout_ms: knack.timeout_seconds === undefined ? timeoutMs(timeout) : knack.timeout_seconds * 1000,
    description: knack.description,
    risk: knack.risk,
    effects: knack.effects,
    approvals: {
      ...Object.fromEntries(autoApprove.map((tool) => [tool, "none" as const])),
      ...knack.approval,
    },
    repeatable: knack.repeatable,
    secrets: [...secretsOf({ ...env, ...headers }), ...secretsOfOAuth(knack.oauth ?? {})],
  };
}

/**
 * Cline and Roo Code write seconds (1 to 3,600, docs.cline.bot and docs.roocode.com), Gemini CLI milliseconds (600,000 by default,
 * geminicli.com): values up to this are seconds.
 */
const maxSeconds = 3_600;

function timeoutMs(timeout: number | undefined): number | undefined {
  if (timeout === undefined) return undefined;
  return timeout <= maxSeconds ? timeout * 1000 : timeout;
}

/** Of the entry as written: a new token does not make it another server. */
function identityOf(entry: unknown): string {
  const { type, command, args, cwd, url } = objectOf(entry as Json);
  return hash("sha256", canonicalJson({ type, command, args, cwd, url }), "hex");
}

const secretName = /key|token|secret|passw|auth|credential|cookie|session/i;

/** The values of settings named like secrets; masking a folder or a port in results would break them. */
function secretsOf(values: Record<string, string>): string[] {
  return Object.entries(values)
    .filter(([name]) => secretName.test(name))
    .flatMap(([, value]) => [value, ...value.split(/\s+/)]);
}

const streamable = ["http", "streamable", "streamable-http", "streamableHttp", "streamable_http"];

/** The target, or why there is none. */
function targetOf(entry: z.infer<typeof entrySchema>): Target | string {
  const { type, command, args, env, cwd, url, headers } = entry;
  if (type !== undefined && type !== "stdio" && type !== "sse" && !streamable.includes(type)) {
    return `type: ${type} is unknown. Use stdio, http or sse.`;
  }
  const wantsCommand = type === "stdio" || (type === undefined && command !== undefined);
  if (wantsCommand) {
    return command === undefined ? "it has no command." : { type: "stdio", command, args, env, cwd };
  }
  if (url === undefined) return type === undefined ? "it has neither command nor url." : "it has no url.";
  if (type === "sse") return { type: "sse", url, headers };
  return { type: "http", url, headers, fallback: type === undefined };
}

const known = {
  "": Object.keys(entrySchema.shape),
  knack: Object.keys(knackSchema.shape),
  anythingllm: Object.keys(anythingllmSchema.shape),
};

function unknownKeys(entry: unknown): { code: string; message: string }[] {
  return Object.entries(known).flatMap(([section, keys]) => {
    const value = section === "" ? entry : (entry as Record<string, unknown> | null)?.[section];
    if (typeof value !== "object" || value === null) return [];
    return Object.keys(value)
      .filter((key) => !keys.includes(key))
      .map((key) => {
        const [near] = nearestNames(key, keys);
        const shown = section === "" ? key : `${section}.${key}`;
        const hint = near === undefined ? "" : ` Did you mean ${near}?`;
        return { code: "unknown_key", message: `${shown} is unknown and has no effect.${hint}` };
      });
  });
}
