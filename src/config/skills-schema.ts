import { z } from "zod";
import { anyHost, count, flag, seconds, someHost, text, texts, wholeBetween } from "./setting-kinds.ts";

/** The address of a package index; it may hold a user and a password. */
const packageAddress = (description: string) =>
  z
    .url({ protocol: /^https?$/, error: "expected an address that begins with https:// or http://" })
    .optional()
    .meta({ description, secret: true });

const executionSchema = z.strictObject({
  max_seconds: count
    .max(86_400)
    .default(300)
    .describe(
      "Maximum time that a handler, tool package or script of a skill that did not ship may run, in seconds; a skill may ask for less",
    ),
  memory_megabytes: count
    .min(64)
    .default(1024)
    .describe("Memory each process of a script may use, in megabytes; Node needs about 600 to start"),
  total_memory_megabytes: count
    .min(64)
    .default(2048)
    .describe("Memory all processes of a script together may use, in megabytes"),
  processes: count.min(2).default(64).describe("Processes and threads a script may have at one time"),
  workspace_megabytes: count
    .default(256)
    .describe("Space a script may write to, in megabytes; it holds one file for every 4 KB"),
  max_running: count
    .default(16)
    .describe("Scripts and handlers of skills that run at one time; others wait up to 30 seconds for them"),
  all_memory_megabytes: z
    .number()
    .int()
    .nonnegative()
    .default(0)
    .describe(
      "Memory all code of skills together may use, in megabytes; what uses the most is stopped. 0 means half of the machine's memory",
    ),
  python_index: packageAddress(
    "Index that `knack sandbox add python` and `knack sandbox prepare` take wheels from; https://pypi.org/simple unless set",
  ),
  npm_registry: packageAddress(
    "Registry that `knack sandbox add node` and `knack sandbox prepare` take packages from; https://registry.npmjs.org unless set",
  ),
  package_hosts: z
    .array(someHost)
    .default([])
    .describe("Hosts of package files besides those of python_index and npm_registry, e.g. cdn.example.com"),
  package_megabytes: count
    .min(10)
    .default(2048)
    .describe("Space one set of prepared packages may take, downloads included, in megabytes"),
  allow_weak: texts
    .default([])
    .describe(
      "Ids of skills that did not ship whose code may run where bubblewrap does not work; it can use the network freely, and all but Node code can read what the bot can",
    ),
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
  extra: texts.default([]).describe("Further skill folders; skills of all other folders replace theirs"),
  link_folders: texts
    .default([])
    .describe(
      "Folders that links in your skill folders may lead to, e.g. .agents/skills, where npx skills installs; they may lead to each other in any case",
    ),
  auto_discover: flag
    .default(true)
    .describe("Whether the agent finds and activates skills by itself; false: people enable them"),
  allowed: texts.default(["*"]).describe("Ids of the skills that may be used; * means all"),
  denied: texts.default([]).describe("Ids of skills that may not be used, whatever allowed says"),
  disabled: texts.default([]).describe("Ids of shipped skills that are switched off"),
  opt_in: texts
    .default([])
    .describe("Ids of skills that a person must enable in a channel before the agent may use them"),
  env: z
    .record(
      z.string(),
      z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "expected a variable name"), z.string()),
    )
    .default({})
    .meta({
      description: "Variables a skill gets, secrets included: {SKILL_ID: {NAME: value}}",
      secret: true,
    }),
  rights: z
    .record(
      text,
      z
        .strictObject({ people: texts.default([]), roles: texts.default([]) })
        .refine(({ people, roles }) => people.length + roles.length > 0, "name people or roles"),
    )
    .default({})
    .describe(
      "Who may use a skill, a part of one, a tool or a tool server, where not everybody may; operators always may: {ID: {people: [USER_ID], roles: [manager, ROLE_ID]}}; guest, member, manager and operator stand for everybody who is at least that here, other roles are ids of roles on Discord",
    ),
  approvals: z
    .record(
      text,
      z.strictObject({
        approver: z.enum(["asker", "manager", "operator"]),
        shadow: z.boolean().default(false),
      }),
    )
    .default({})
    .describe(
      "Calls that need approval beyond the built-in rules, by skill, part, tool or tool server: {ID: {approver: manager, shadow: true}}; with shadow nobody is asked, and the audit says who would have been",
    ),
  capabilities: texts
    .default([])
    .describe("What the agent is trusted with, for skills with required_capabilities, e.g. weather"),
  network: z
    .record(z.string(), z.array(anyHost))
    .default({})
    .describe(
      "Hosts the code of a skill may reach without asking first: {SKILL_ID: [api.example.com, *.example.org]}",
    ),
  config_skills: z
    .record(z.string(), configSkillSchema)
    .default({})
    .describe("Skills without a folder: {ID: {name, desc, usage, active, tool_list: {SERVER: [TOOL, …]}}}"),
  execution: executionSchema.prefault({}),
});

/** Tool servers (MCP). The servers are listed in a separate file, in the format that other programs use too. */
export const mcpSchema = z.strictObject({
  file: text
    .default("./config/mcp.json")
    .describe("File of the tool servers, in the mcpServers format; changes are seen by the next message"),
  connect_seconds: seconds
    .default(120)
    .describe(
      "Maximum time until a server has introduced itself, in seconds; npx and uvx may have to download it",
    ),
  call_seconds: seconds
    .default(60)
    .describe("Maximum silence of a call to a server, in seconds; progress restarts it"),
  attempts: wholeBetween(1, 100)
    .default(5)
    .describe("Attempts in a row to start a server's program; then somebody has to start it"),
});
