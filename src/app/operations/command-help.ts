/**
 * What the help of the command line says about the commands that are operations, in its order. This is apart from the operations,
 * which load many modules and make their schemas: `knack --help` needs neither. Import only types here.
 */
import type { PackageLanguage } from "../../core/skill/packages.ts";

/** `--namespace` of a command: the operator's own channel unless given, only a filter, or mandatory. */
export type NamespaceOption = "own" | "filter" | "mandatory";

/** A command as help shows it. */
export interface CommandHelp {
  description: string;
  /** `["<id>", "id of the skill"]`, in order. */
  arguments?: readonly (readonly [name: string, description: string, choices?: readonly string[]])[];
  /** `--name <value>` and its description. */
  options?: readonly (readonly [flags: string, description: string])[];
  /** As the input of the operation takes it. */
  namespace?: NamespaceOption;
  /** What `--json` prints. */
  json: string;
}

const ofSkill = [["<id>", "id of the skill"]] as const;
const ofServer = [["<name>", "name of the server"]] as const;
const ofSchedule = [["<id>", "as the list shows it"]] as const;
const times = [
  ["--at <time>", "once: 2026-12-24T09:00"],
  ["--in <duration>", "once: PT20M, PT2H, P1D"],
  ["--cron <patterns>", "again and again: 0 9 * * 1-5; up to five, with semicolons between them"],
  ["--zone <zone>", "of these times: Europe/Berlin; your own by default"],
  ["--from <time>", "no run before this date or time"],
  ["--until <time>", "no run after this date or time"],
  ["--times <number>", "this many runs at most"],
] as const;
const ofThread = [
  ["<namespace>", "platform:workspace:channel"],
  ["<thread>", "id of the thread"],
] as const;

const standing = "{id, home, version, hash}";
const languages = Object.keys({ python: true, node: true } satisfies Record<PackageLanguage, true>);
const ofLanguage = ["<language>", "python or node", languages] as const;

/** By the words of the command. */
export const commandHelp = {
  "skills list": {
    description: "the skills of a channel",
    namespace: "own",
    json: "{skills, diagnostics}",
  },
  "skills info": {
    description: "one skill: parameters, tools, files, and whether it can be used",
    arguments: ofSkill,
    namespace: "own",
    json: "the skill",
  },
  "runs list": {
    description: "the latest ones",
    namespace: "filter",
    json: "{turns, skills}",
  },
  "skills update": {
    description: "install a skill again from where it came from",
    arguments: ofSkill,
    json: "{installed}",
  },
  "skills remove": {
    description: "remove an installed skill",
    arguments: ofSkill,
    json: "{removed}",
  },
  "skills review": {
    description: "what a skill's files do, and what looks dangerous in them",
    arguments: ofSkill,
    json: "the review",
  },
  "skills grant": {
    description: "let the code of a skill reach hosts, in every channel",
    arguments: [
      ["<id>", "id of the skill"],
      ["<host...>", "such as api.example.com or *.example.com"],
    ],
    json: "{skill_id, granted}",
  },
  "skills revoke": {
    description: "take hosts back from a skill, all unless named",
    arguments: [
      ["<id>", "id of the skill"],
      ["[host...]", "hosts to take back"],
    ],
    json: "{skill_id, granted}",
  },
  "skills history": {
    description: "the versions of a skill that was made in the chat",
    arguments: ofSkill,
    namespace: "own",
    json: "{id, home, current, versions}",
  },
  "skills restore": {
    description: "use an earlier version of a skill that was made in the chat",
    arguments: [...ofSkill, ["<version>", "its number in the history"]],
    namespace: "own",
    json: standing,
  },
  "skills share": {
    description: "offer a skill that was made in the chat to other channels, or give it to all",
    arguments: [...ofSkill, ["<with>", "nobody, others or everyone", ["nobody", "others", "everyone"]]],
    namespace: "own",
    json: standing,
  },
  "skills take": {
    description: "take a skill that another channel made and offers",
    arguments: ofSkill,
    namespace: "own",
    json: standing,
  },
  "skills discard": {
    description: "remove a skill that was made in the chat, with its versions",
    arguments: ofSkill,
    namespace: "own",
    json: standing,
  },
  "sandbox prepare": {
    description:
      "install the packages that a skill lists (requirements.txt, package.json), for its code alone",
    arguments: ofSkill,
    json: "{state, message}",
  },
  "sandbox list": {
    description: "packages that are prepared for code in the sandbox",
    json: "{sets, working, last}",
  },
  "sandbox add": {
    description: "install packages for code in the sandbox; it needs no network for them afterwards",
    arguments: [ofLanguage, ["[package...]", "such as numpy==2.1.0 or docx@9"]],
    json: "{state, message}",
  },
  "sandbox remove": {
    description: "remove packages from code in the sandbox; the others are installed again from their lock",
    arguments: [ofLanguage, ["<package...>", "such as numpy"]],
    json: "{state, message}",
  },
  "flows list": {
    description: "the flows of a channel",
    namespace: "own",
    json: "{flows, diagnostics}",
  },
  "mcp list": {
    description: "the servers, their state and their tools",
    json: "{servers}",
  },
  "mcp start": {
    description: "start a server",
    arguments: ofServer,
    json: "the server",
  },
  "mcp stop": {
    description: "stop a server",
    arguments: ofServer,
    json: "the server",
  },
  "mcp restart": {
    description: "stop a server and start it again",
    arguments: ofServer,
    json: "the server",
  },
  "mcp login": {
    description: "connect an account with a server",
    arguments: ofServer,
    json: "{url}",
  },
  "mcp logout": {
    description: "forget the account with a server",
    arguments: ofServer,
    json: "the server",
  },
  "message send": {
    description: "posts a message in a channel, without a model",
    arguments: [["<text...>", "what it says, Markdown"]],
    options: [
      ["--thread <thread>", "a thread of the channel"],
      ["--key <key>", "the same key is posted once"],
    ],
    namespace: "mandatory",
    json: "prints {reference,link?}",
  },
  "schedule list": {
    description: "shows reminders, schedules and triggers of a channel",
    namespace: "mandatory",
    json: "prints {schedules:[{id,what,text,when,next,next_at,tools,by,paused?,address?}]}",
  },
  "schedule add": {
    description: "plans a reminder or, with --task, work for the agent; give --at, --in or --cron",
    arguments: [["<text...>", "what is posted or done"]],
    options: [["--task", "the text is work for the agent"], ...times],
    namespace: "mandatory",
    json: "prints what was planned",
  },
  "schedule change": {
    description: "gives a reminder or task new times",
    arguments: ofSchedule,
    options: times,
    namespace: "mandatory",
    json: "prints it as it is now",
  },
  "schedule pause": {
    description: "pause a schedule or trigger of a channel",
    arguments: ofSchedule,
    namespace: "mandatory",
    json: "prints it as it is now",
  },
  "schedule resume": {
    description: "resume a schedule or trigger of a channel",
    arguments: ofSchedule,
    namespace: "mandatory",
    json: "prints it as it is now",
  },
  "schedule remove": {
    description: "remove a schedule or trigger of a channel",
    arguments: ofSchedule,
    namespace: "mandatory",
    json: "prints it as it is now",
  },
  "schedule secret": {
    description: "makes and prints a new secret of a webhook; the previous one is no longer valid",
    arguments: ofSchedule,
    options: [["--set <secret>", "takes the secret that the sender made, as Slack and Stripe do"]],
    namespace: "mandatory",
    json: "prints {secret}",
  },
  "goal show": {
    description: "the goal of a thread, and how far it is",
    arguments: ofThread,
    json: "{goal?}",
  },
  "goal set": {
    description: "sets a goal of a thread: the agent goes on by itself until it is reached",
    arguments: [...ofThread, ["<aim...>", "what has to be true in the end"]],
    options: [["--turns <number>", "maximum turns"]],
    json: "{goal}",
  },
  "goal stop": {
    description: "ends the goal of a thread, and its turn",
    arguments: ofThread,
    json: "{goal}",
  },
  "files list": {
    description: "the files of a thread",
    arguments: ofThread,
    json: "{files, bytes, most_bytes}",
  },
  "files remove": {
    description: "remove a file of a thread",
    arguments: [...ofThread, ["<path>", "as files list shows it"]],
    json: "{path}",
  },
  audit: {
    description: "what people did, and each effect and new message of finished turns, a page at a time",
    options: [
      ["--since <time>", "such as 2026-11-23 or 2026-11-23T09:00Z"],
      ["--cursor <cursor>", "the next of the page before"],
    ],
    json: "{lines, next}",
  },
  retention: {
    description: "delete what is older than the settings under retention keep",
    options: [["--dry-run", "only count it"]],
    json: "{policy, from, ran, counts}",
  },
} as const satisfies { readonly [command: string]: CommandHelp };
