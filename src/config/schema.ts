/**
 * The whole configuration in one schema: parsing, defaults and the type. config/knack.yaml has the meaning of every key. A key without a
 * default is unset by default; `null` in a file means the same.
 */
import { z } from "zod";
import { namespaceSpelling } from "../base/place-names.ts";
import { nearestName } from "../base/text/nearest-name.ts";
import { modelSchema } from "./model-schema.ts";
import { accessSchema, chatSchema, discordSchema, slackSchema } from "./platform-schema.ts";
import { searchSchema } from "./search-schema.ts";
import {
  anyHost,
  between,
  count,
  flag,
  hostOrRange,
  ids,
  seconds,
  someHost,
  text,
  upTo,
  wholeBetween,
} from "./setting-kinds.ts";
import { mcpSchema, skillsSchema } from "./skills-schema.ts";

const serverSchema = z.strictObject({
  host: text.default("127.0.0.1"),
  port: wholeBetween(0, 65_535).default(3000),
  token: z
    .string()
    .min(20, "expected at least 20 characters, e.g. from `openssl rand -hex 32`")
    .optional()
    .meta({ secret: true }),
  speak_for_people: flag.default(false),
  public_url: z.url().optional(),
});

const tracesSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: "expected an address of http or https" }).optional(),
});

const secretKeySchema = z
  .string()
  .min(16, "expected at least 16 characters, e.g. from `openssl rand -hex 32`")
  .optional()
  .meta({ secret: true });

const databaseSchema = z
  .string()
  .regex(
    /^postgres(ql)?:\/\/\S+$/,
    "expected the address of a PostgreSQL database, e.g. postgresql://knack:secret@db.example.com/knack",
  )
  .optional()
  .meta({ secret: true });

const timeZoneSchema = z
  .string()
  .refine(isTimeZone, { error: ({ input }) => `there is no such time zone${suggestedZone(String(input))}` })
  .optional();

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function suggestedZone(name: string): string {
  const meant = nearestName(name, Intl.supportedValuesOf("timeZone"));
  return meant === undefined ? "" : `, did you mean ${meant}?`;
}

const turnsSchema = z.strictObject({
  concurrent: count.max(1000).default(8),
  concurrent_commands: count.max(1000).default(8),
  max_rounds: count.default(100),
  max_tool_calls: count.default(200),
  max_concurrent_executions: count.max(100).default(3),
  max_duration_seconds: seconds.default(1800),
  question_minutes: upTo(10_080).default(15),
  approval_minutes: upTo(10_080).default(60),
  lease_seconds: seconds.min(1).default(10),
  drain_seconds: seconds.default(20),
});

const promptSchema = z.strictObject({
  transcript_tokens: count.min(2_000).default(64_000),
  skill_list_tokens: count.default(4_000),
  open_tools_tokens: z.number().int().min(0).default(4_000),
  message_tokens: count.default(20_000),
  tool_output_tokens: count.default(4000),
});

const netSchema = z.strictObject({
  allow: z.array(hostOrRange).default([]),
  open_hosts: z.array(someHost).default([]),
  timeout_seconds: seconds.default(20),
  max_bytes: count.default(5_000_000),
  max_redirects: wholeBetween(0, 20).default(5),
});

const spendingSchema = z.strictObject({
  per_channel_day_usd: z.number().positive().default(20),
  per_user_day_usd: z.number().positive().default(10),
  per_channel_day_tokens: count.default(20_000_000),
  per_user_day_tokens: count.default(10_000_000),
  channels: z
    .record(
      z.string().max(namespaceSpelling.maxChars).regex(namespaceSpelling.pattern, namespaceSpelling.expected),
      z.strictObject({ day_usd: z.number().positive().optional(), day_tokens: count.optional() }),
    )
    .default({}),
});

const days = z.union([count.max(36_500), z.literal("never")], {
  error: "expected a whole number of days from 1 to 36500, or never",
});

const filesSchema = z.strictObject({
  thread_megabytes: count.default(500),
});

const codeSchema = z.strictObject({
  enabled: flag.default(true),
  hosts: z.array(anyHost).default([]),
  max_seconds: seconds.default(120),
  job_minutes: between(0, 1440).default(30),
  jobs_per_channel: count.max(20).default(2),
});

/** Limits of schedules, reminders, triggers and goals. */
const schedulesSchema = z.strictObject({
  least_minutes: between(1, 1440).default(5),
  per_channel: count.max(500).default(20),
  per_person: count.max(500).default(10),
  late_minutes: between(0, 10_080).default(60),
  open_turns: count.max(20).default(3),
  goal_turns: between(0, 500).int().default(25),
});

const retentionSchema = z.strictObject({
  conversation_days: days.default(365),
  run_detail_days: days.default(30),
  file_days: days.default(30),
  audit_days: days.default(400),
});

export const configSchema = z.strictObject({
  name: text.max(80).default("Knack"),
  operators: ids.default([]),
  time_zone: timeZoneSchema,
  data: z
    .strictObject({
      folder: text.default(".knack"),
      database_url: databaseSchema,
    })
    .prefault({}),
  secret_key: secretKeySchema,
  workspace: z
    .strictObject({
      skills: text.default("./.knack-workspace/skills"),
      flows: text.default("./.knack-workspace/flows"),
      agents: text.default("./.knack-workspace/agents"),
    })
    .prefault({}),
  server: serverSchema.prefault({}),
  log: z
    .strictObject({
      level: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
    })
    .prefault({}),
  traces: tracesSchema.prefault({}),
  model: modelSchema.prefault({}),
  turns: turnsSchema.prefault({}),
  prompt: promptSchema.prefault({}),
  skills: skillsSchema.prefault({}),
  mcp: mcpSchema.prefault({}),
  net: netSchema.prefault({}),
  search: searchSchema.prefault({}),
  spending: spendingSchema.prefault({}),
  files: filesSchema.prefault({}),
  code: codeSchema.prefault({}),
  schedules: schedulesSchema.prefault({}),
  retention: retentionSchema.prefault({}),
  slack: slackSchema.prefault({}),
  discord: discordSchema.prefault({}),
  access: accessSchema.prefault({}),
  chat: chatSchema.prefault({}),
});

/** The effective configuration. Folders are absolute, and `model.choice` and `model.transcription` are never `auto` after `loadConfig`. */
export type Config = z.infer<typeof configSchema>;
