import { z } from "zod";
import { anyHost, count, flag, seconds, someHost, text, texts, wholeBetween } from "./setting-kinds.ts";

/** The address of a package index; it may hold a user and a password. */
const packageAddress = z
  .url({ protocol: /^https?$/, error: "expected an address that begins with https:// or http://" })
  .optional()
  .meta({ secret: true });

const executionSchema = z.strictObject({
  max_seconds: count.max(86_400).default(300),
  memory_megabytes: count.min(64).default(1024),
  total_memory_megabytes: count.min(64).default(2048),
  processes: count.min(2).default(64),
  workspace_megabytes: count.default(256),
  max_running: count.default(16),
  all_memory_megabytes: z.number().int().nonnegative().default(0),
  python_index: packageAddress,
  npm_registry: packageAddress,
  package_hosts: z.array(someHost).default([]),
  package_megabytes: count.min(10).default(2048),
  allow_weak: texts.default([]),
});

/** A skill in the configuration: a guide that opens tools of servers. The loader checks it further. */
const configSkillSchema = z.strictObject({
  name: text.optional(),
  desc: z.string(),
  usage: z.string(),
  active: flag.optional(),
  tool_list: z.union([z.record(z.string(), z.array(z.string())), z.string()]).default({}),
});

/** The skills, who may use them, and their settings. */
export const skillsSchema = z.strictObject({
  extra: texts.default([]),
  link_folders: texts.default([]),
  auto_discover: flag.default(true),
  allowed: texts.default(["*"]),
  denied: texts.default([]),
  disabled: texts.default([]),
  opt_in: texts.default([]),
  env: z
    .record(
      z.string(),
      z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected a variable name"), z.string()),
    )
    .default({})
    .meta({ secret: true }),
  rights: z
    .record(
      text,
      z
        .strictObject({ people: texts.default([]), roles: texts.default([]) })
        .refine(({ people, roles }) => people.length + roles.length > 0, "name people or roles"),
    )
    .default({}),
  approvals: z
    .record(
      text,
      z.strictObject({
        approver: z.enum(["asker", "manager", "operator"]),
        shadow: z.boolean().default(false),
      }),
    )
    .default({}),
  capabilities: texts.default([]),
  network: z.record(z.string(), z.array(anyHost)).default({}),
  config_skills: z.record(z.string(), configSkillSchema).default({}),
  execution: executionSchema.prefault({}),
});

/** Tool servers (MCP). The servers are listed in a separate file, in the format that other programs use too. */
export const mcpSchema = z.strictObject({
  file: text.default("./config/mcp.json"),
  connect_seconds: seconds.default(120),
  call_seconds: seconds.default(60),
  attempts: wholeBetween(1, 100).default(5),
});
