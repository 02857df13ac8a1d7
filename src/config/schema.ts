/**
 * The whole configuration in one schema: parsing, defaults, the meaning of every key, and the type. A key without a default is unset by
 * default; `null` in a file means the same.
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
  host: text
    .default("127.0.0.1")
    .describe("Address to listen on; any address except loopback requires a token"),
  port: wholeBetween(0, 65_535).default(3000).describe("Port of the console and the API; 0 picks a free one"),
  token: z
    .string()
    .min(20, "expected at least 20 characters, e.g. from `openssl rand -hex 32`")
    .optional()
    .meta({
      description:
        "Bearer token that clients send, at least 20 characters; without it only this machine has access",
      secret: true,
    }),
  speak_for_people: flag
    .default(false)
    .describe(
      "Whether API clients may pass a person's Slack or Discord id as user, and so act as that person",
    ),
  public_url: z
    .url()
    .optional()
    .describe("Public address of this server, for requests and installations from Slack"),
});

const tracesSchema = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: "expected an address of http or https" })
    .optional()
    .describe(
      "Address that traces of turns are sent to, OTLP over HTTP, e.g. http://localhost:4318/v1/traces; default: none",
    ),
});

const secretKeySchema = z
  .string()
  .min(16, "expected at least 16 characters, e.g. from `openssl rand -hex 32`")
  .optional()
  .meta({
    description: "Key that encrypts stored tokens; default: a key file in the data folder",
    secret: true,
  });

const databaseSchema = z
  .string()
  .regex(
    /^postgres(ql)?:\/\/\S+$/,
    "expected the address of a PostgreSQL database, e.g. postgresql://knack:secret@db.example.com/knack",
  )
  .optional()
  .meta({
    description: "Address of a PostgreSQL database to use instead of SQLite files in the data folder",
    secret: true,
  });

const timeZoneSchema = z
  .string()
  .refine(isTimeZone, { error: ({ input }) => `there is no such time zone${suggestedZone(String(input))}` })
  .optional()
  .describe(
    "Time zone for people and channels without one of their own, e.g. Europe/Amsterdam; default: the machine's",
  );

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
  concurrent: count
    .max(1000)
    .default(8)
    .describe("Maximum concurrent turns; from 4 on, a quarter of them stays free for other channels"),
  concurrent_commands: count
    .max(1000)
    .default(8)
    .describe("Maximum concurrent slash commands, such as flows; a stop never waits for them"),
  max_rounds: count.default(100).describe("Maximum model calls in one turn"),
  max_tool_calls: count.default(200).describe("Maximum tool calls in one turn"),
  max_concurrent_executions: count.max(100).default(3).describe("Maximum concurrent tool calls of one turn"),
  max_duration_seconds: seconds
    .default(1800)
    .describe("Maximum duration of a turn, in seconds, without the time it waits for a person"),
  question_minutes: upTo(10_080)
    .default(15)
    .describe("How long a question of the agent stays open, in minutes"),
  approval_minutes: upTo(10_080)
    .default(60)
    .describe("How long an approval stays open, in minutes; after half of it, people are reminded once"),
  lease_seconds: seconds
    .min(1)
    .default(10)
    .describe("Seconds without a sign of life after which another worker takes over a turn"),
  drain_seconds: seconds
    .default(20)
    .describe("Time that running turns have to finish when the bot is stopped, in seconds"),
});

const promptSchema = z.strictObject({
  transcript_tokens: count
    .min(2_000)
    .default(64_000)
    .describe(
      "Maximum tokens of a thread's conversation; beyond that, a new one begins with a summary. Never above 70 % of the model's window",
    ),
  skill_list_tokens: count.default(4_000).describe("Tokens for the list of skills in the instructions"),
  open_tools_tokens: z
    .number()
    .int()
    .min(0)
    .default(4_000)
    .describe("Tokens for tools of the bot's own skills that are available without activation; 0 for none"),
  message_tokens: count
    .default(20_000)
    .describe("Maximum tokens of one message shown to a model; it can read the rest on request"),
  tool_output_tokens: count
    .default(4000)
    .describe("Maximum tokens of one tool output shown to a model; it can read the rest on request"),
});

const netSchema = z.strictObject({
  allow: z
    .array(hostOrRange)
    .default([])
    .describe("Private hosts or CIDRs that tools may reach, e.g. wiki.example.internal, 10.1.0.0/16"),
  open_hosts: z
    .array(someHost)
    .default([])
    .describe(
      "Hosts that tools may send any address to without asking, e.g. docs.example.com, *.example.org, wiki.example.com:8443",
    ),
  timeout_seconds: seconds.default(20).describe("Time limit of one request of a tool, in seconds"),
  max_bytes: count
    .default(5_000_000)
    .describe("Maximum size of a response that a tool may read, in bytes after decompression"),
  max_redirects: wholeBetween(0, 20).default(5).describe("Maximum redirects to follow"),
});

const spendingSchema = z.strictObject({
  per_channel_day_usd: z
    .number()
    .positive()
    .default(20)
    .describe("Model cost of one channel a day, in USD; a day begins at 00:00 UTC"),
  per_user_day_usd: z.number().positive().default(10).describe("Model cost of one person a day, in USD"),
  per_channel_day_tokens: count
    .default(20_000_000)
    .describe("Tokens of models without a known price in one channel a day"),
  per_user_day_tokens: count
    .default(10_000_000)
    .describe("Tokens of models without a known price for one person a day"),
  channels: z
    .record(
      z.string().max(namespaceSpelling.maxChars).regex(namespaceSpelling.pattern, namespaceSpelling.expected),
      z.strictObject({ day_usd: z.number().positive().optional(), day_tokens: count.optional() }),
    )
    .default({})
    .describe(
      "Limits of single channels, in place of the two for all channels: {NAMESPACE: {day_usd, day_tokens}}; managers can lower them with /agent spending",
    ),
});

const days = z.union([count.max(36_500), z.literal("never")], {
  error: "expected a whole number of days from 1 to 36500, or never",
});

const filesSchema = z.strictObject({
  thread_megabytes: count
    .default(500)
    .describe(
      "Disk space of a thread's working folder, in megabytes: attachments, and files that code and skills create there",
    ),
});

const codeSchema = z.strictObject({
  enabled: flag
    .default(true)
    .describe("Whether the agent may write and run code, on the files of the thread; in bubblewrap only"),
  hosts: z
    .array(anyHost)
    .default([])
    .describe("Hosts that this code may reach; it can send them the files of the thread"),
  max_seconds: seconds.default(120).describe("Time limit of one run of this code, in seconds"),
  job_minutes: between(0, 1440)
    .default(30)
    .describe("Time limit of a job, code that goes on after the answer, in minutes; 0 turns jobs off"),
  jobs_per_channel: count.max(20).default(2).describe("Jobs of one channel at the same time"),
});

/** Limits of schedules, reminders, triggers and goals. */
const schedulesSchema = z.strictObject({
  least_minutes: between(1, 1440)
    .default(5)
    .describe("Minimum time between two runs of a schedule, in minutes"),
  per_channel: count.max(500).default(20).describe("Schedules, reminders and triggers of one channel"),
  per_person: count.max(500).default(10).describe("Of these, made by one person in it"),
  late_minutes: between(0, 10_080)
    .default(60)
    .describe("A task that the bot missed is still done so many minutes later; reminders always are"),
  open_turns: count
    .max(20)
    .default(3)
    .describe("Turns of one trigger (one a minute), and open requests to one person, at the same time"),
  goal_turns: between(0, 500)
    .int()
    .default(25)
    .describe("Maximum turns of one goal (`/agent goal`); 0 turns goals off"),
});

const retentionSchema = z.strictObject({
  conversation_days: days
    .default(365)
    .describe("Days after the last message of a thread until it is deleted, or never"),
  run_detail_days: days
    .default(30)
    .describe("Days until the steps of a finished turn are deleted; question and answer stay. Or never"),
  file_days: days
    .default(30)
    .describe(
      "Days until the files of a finished turn, and the folder of a thread in which nothing happened since, are deleted, or never",
    ),
  audit_days: days.default(400).describe("Days until lines of the stored audit are deleted, or never"),
});

export const configSchema = z.strictObject({
  name: text.max(80).default("Knack").describe("The name of the bot"),
  operators: ids.default([]).describe("Platform user ids of the people who run the bot, e.g. U012AB3CD"),
  time_zone: timeZoneSchema,
  data: z
    .strictObject({
      folder: text.default(".knack").describe("Folder for the database, installed skills and workspaces"),
      database_url: databaseSchema,
    })
    .prefault({}),
  secret_key: secretKeySchema,
  workspace: z
    .strictObject({
      skills: text
        .default("./.knack-workspace/skills")
        .describe("Folder of your own skills; they replace all others with the same id"),
      flows: text
        .default("./.knack-workspace/flows")
        .describe("Folder of your own flows; AnythingLLM's flow files run unmodified"),
      agents: text
        .default("./.knack-workspace/agents")
        .describe(
          "Folder of your own agents, in the format of config/agents; they replace shipped agents with the same name",
        ),
    })
    .prefault({}),
  server: serverSchema.prefault({}),
  log: z
    .strictObject({
      level: z
        .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])
        .default("info")
        .describe("Minimum level that is logged (to stderr)"),
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
