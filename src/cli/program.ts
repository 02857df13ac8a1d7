import { Argument, Command, Option } from "commander";
import type { Operation } from "../app/operations/operation.ts";
import type { CommandContext, Does } from "./command-context.ts";
import { addOperationCommands } from "./operation-commands.ts";
import {
  ownNamespaceOption,
  parseCommand,
  parseDatabase,
  parseNamespace,
  parsePort,
  parseThread,
  parseUser,
} from "./shared-options.ts";

/**
 * All commands. Each module is loaded when its command runs, so that `knack --help` is fast. `done` gets the exit code. Wrong
 * usage throws commander's `CommanderError`.
 * @param operations those whose commands are added; needed if the command line has a word of `operationFamilies`
 */
export function createProgram(
  context: CommandContext,
  version: string,
  done: (exitCode: number) => void,
  operations: readonly Operation[] = [],
): Command {
  const does: Does =
    (load) =>
    async (...given) => {
      const command = given.at(-1) as Command;
      const work = (await load()) as (...all: unknown[]) => Promise<number>;
      done(await work(context, ...command.processedArgs, command.optsWithGlobals()));
    };
  const program = new Command("knack")
    .description("A bot that gives a channel an agent with skills")
    .version(version)
    .option("--config <file>", "configuration file; wins over KNACK_CONFIG")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
      outputError: (text, write) => write(text.replace("command-argument value", "the value")),
    })
    .showSuggestionAfterError()
    .showHelpAfterError("(knack --help shows all commands)");
  addBotCommands(program, does);
  addSkillCommands(program, does);
  for (const [name, description] of operationGroups) add(program, name, description);
  addFlowCommands(program, does);
  addServerCommands(program, does);
  addRunCommands(program, does);
  addDataCommands(program, does);
  addOperatorCommands(program, does);
  addOperationCommands(program, does, operations);
  for (const command of leavesOf(program)) command.showHelpAfterError(true);
  return program;
}

function add(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description);
}

/** Commands without subcommands. */
function leavesOf({ commands }: Command): readonly Command[] {
  return commands.flatMap((command) => (command.commands.length === 0 ? [command] : leavesOf(command)));
}

function addBotCommands(program: Command, does: Does): void {
  add(program, "start", "run the bot with its console and API until it is stopped")
    .addOption(
      new Option("--role <role>", "part of the work this process does on a shared database")
        .choices(["all", "gateway", "worker"])
        .default("all"),
    )
    .option("--host <address>", "address to listen on")
    .option("--port <number>", "port to listen on, 0 for a free one", parsePort)
    .option("--accept-empty-log", "start although conversations are missing that were stored, without them")
    .action(does(async () => (await import("./start.ts")).start));
  add(program, "chat", "chat in the terminal")
    .addOption(ownNamespaceOption())
    .option("--thread <thread>", "continue this thread, or begin one of this name", parseThread)
    .action(does(async () => (await import("./chat.ts")).chat));
  add(program, "ask", "ask one thing; - reads the text from the standard input")
    .argument("<text>", "what to ask")
    .addOption(ownNamespaceOption())
    .option("--thread <thread>", "continue this thread, or begin one of this name", parseThread)
    .option(
      "--file <path>",
      "a file that goes with it; may be given several times",
      (path: string, before: string[] = []) => [...before, path],
    )
    .option("--json", "every turn event as one line of JSON")
    .action(does(async () => (await import("./ask.ts")).ask));
  add(program, "command", 'run a slash command as a chat user would, e.g. "/skill enable memory"')
    .argument("<text>", "the command, beginning with /", parseCommand)
    .addOption(ownNamespaceOption())
    .option("--user <id>", "who runs it")
    .option("--json", "{text, ok}")
    .action(does(async () => (await import("./command.ts")).command));
}

/** `knack skills …` */
function addSkillCommands(program: Command, does: Does): void {
  const skills = add(program, "skills", "list, explain, check, install and run skills");
  add(skills, "validate", "the strict Agent Skills check of a folder")
    .argument("<dir>", "folder with a SKILL.md")
    .option("--json", "{valid, errors}")
    .action(does(async () => (await import("./skill-commands.ts")).validateSkill));
  add(skills, "run", "run a skill without a model")
    .argument("<id>", "id of the skill")
    .argument("[values...]", 'its parameters, as name=value, e.g. text="hello world"')
    .option("--params <json>", "its parameters, a JSON object")
    .addOption(ownNamespaceOption())
    .option("--json", "{skill_id, output, success} or {error}")
    .action(does(async () => (await import("./skill-commands.ts")).runSkill));
  add(skills, "install", "show the review of a package, and install it, off in every channel")
    .argument(
      "<source...>",
      "folder, .zip, .tar.gz, address of one, of a git repository, or OWNER/REPOSITORY",
    )
    .option("--only <names>", "of a package with many skills: ids of those wanted, with commas")
    .option("--details", "the review of each skill in full")
    .option("--yes", "install without asking")
    .option("--json", "{installed, reviews}")
    // An install command of another agent has flags of its own.
    .allowUnknownOption()
    .action(does(async () => (await import("./skill-commands.ts")).installSkill));
}

/** Commands and groups of commands that are operations alone, with their descriptions for the help. */
const operationGroups = [
  ["schedule", "reminders, schedules and triggers of a channel"],
  ["goal", "what the agent works towards by itself in a thread"],
  ["message", "messages of the bot that no turn posts"],
  ["sandbox", "packages that code in the sandbox finds"],
  ["files", "the files of a thread"],
  ["audit", "what people did, and each effect and new message of finished turns"],
  ["retention", "delete what is older than the settings under retention keep"],
] as const;

/** The first words of commands that are operations. Their help and arguments are those of the operations, which take time to load. */
export const operationFamilies: readonly string[] = [
  ...["skills", "flows", "mcp", "runs"],
  ...operationGroups.map(([name]) => name),
];

/** `knack flows …` */
function addFlowCommands(program: Command, does: Does): void {
  const flows = add(program, "flows", "list and run flows");
  add(flows, "run", "run a flow, or show what it would do")
    .argument("<flow>", "its id, name or file")
    .argument("[values...]", "values of its variables, as name=value, e.g. city=Oslo")
    .option("--vars <json>", "values of its variables, a JSON object")
    .option("--dry-run", "only show each request it would make")
    .addOption(ownNamespaceOption())
    .option("--json", "{success, results, variables, directOutput}")
    .action(does(async () => (await import("./flow-run.ts")).runFlow));
}

/** `knack mcp …` */
function addServerCommands(program: Command, does: Does): void {
  const mcp = add(program, "mcp", "tool servers (MCP)");
  add(mcp, "trust", "choose which tools of a server may run without asking")
    .argument("<name>", "name of the server")
    .option("--tools <names>", "only these run without asking; separated by commas")
    .option("--read-only", "tools run without asking if the server says they only read")
    .option("--none", "every tool asks")
    .option("--json", "the server")
    .action(does(async () => (await import("./mcp-trust.ts")).trustServer));
}

function addRunCommands(program: Command, does: Does): void {
  add(
    program,
    "prompt",
    "show what a new thread would begin with, or what a thread's next model call would get",
  )
    .addOption(ownNamespaceOption())
    .option("--thread <thread>", "the thread whose next request is shown")
    .option("--message <text>", "the message it would be about", "")
    .option("--json", "{system, tools, tokens}, of a thread also {messages}")
    .action(does(async () => (await import("./prompt.ts")).prompt));
  const runs = add(program, "runs", "turns and skill executions with timing");
  add(runs, "show", "one turn or run, with its steps and its receipt")
    .argument("<id>", "id of a turn or of a skill's run")
    .option("--json", "{turn, events, skills, receipt}")
    .action(does(async () => (await import("./runs.ts")).showRun));
  add(
    program,
    "replay",
    "have another model answer a turn again, with the recorded results: nothing runs or is posted",
  )
    .argument("[turn]", "id of a turn")
    .requiredOption("--model <name>", "the model, as provider/model")
    .option("--all <suite>", "the turns of config/replays/<suite>.yaml, with their checks")
    .option("--json", "both answers; with --all: {model, passed, turns}")
    .action(does(async () => (await import("./replay/replay.ts")).replay));
}

function addOperatorCommands(program: Command, does: Does): void {
  add(program, "demo", "show what Knack promises, without keys and beside a running bot")
    .command("crash")
    .description("kill a bot in the middle of a task; it resumes and repeats nothing")
    .action(does(async () => (await import("./demo-crash.ts")).demoCrash));
  add(program, "connect", "lead through connecting the bot to a platform, and check its tokens")
    .addArgument(new Argument("<platform>", "the platform").choices(["slack", "discord"]))
    .option("--json", "{ok, steps, checks}")
    .action(does(async () => (await import("./connect.ts")).connect));
  add(
    program,
    "doctor",
    "check configuration, keys, platforms, store, skills, servers and sandbox, and say what to do",
  )
    .option(
      "--live",
      "also try what each model can do, for a few cents at most, and ask the platforms about their tokens",
    )
    .option("--json", "{ok, checks}")
    .action(does(async () => (await import("./doctor/doctor.ts")).doctor));
  add(program, "models", "list the models of every provider that is set up, or of one")
    .argument("[provider]", "a provider, e.g. openrouter")
    .option("--search <text>", "only models whose name holds this text")
    .option("--all", "all models of a provider, not only the first 50")
    .option("--json", "{providers: [{provider, models, error}]}")
    .action(does(async () => (await import("./models.ts")).models));
  add(program, "config", "show the configuration in force, secrets masked, with sources and meanings")
    .option("--json", "{settings}")
    .action(does(async () => (await import("./config.ts")).showConfig));
}

/** Commands about stored data: export, forget, backup, restore and migrate. */
function addDataCommands(program: Command, does: Does): void {
  add(program, "export", "write everything stored about a channel, or about all, as JSON lines")
    .option("--namespace <namespace>", "only this channel, as platform:workspace:channel", parseNamespace)
    .option("--out <file>", "a new file to write to, instead of the standard output")
    .action(does(async () => (await import("./data/stored-data.ts")).exportData));
  add(program, "forget", "delete everything that is stored about a person")
    .requiredOption("--user <id>", "their user id on the platform, or platform:workspace:id", parseUser)
    .option("--dry-run", "only say what would be deleted")
    .option("--leave-posts", "answers that the bot posted may stay on the platform")
    .option("--json", "what was deleted, and what is left")
    .action(does(async () => (await import("./data/stored-data.ts")).forgetPerson));
  add(
    program,
    "backup",
    "write the data folder to a new file, with the key of stored tokens; the bot may run",
  )
    .argument("<file>", "the file to make, e.g. knack.tar.gz")
    .action(does(async () => (await import("./data/backup.ts")).backup));
  add(program, "restore", "fill the data folder from a backup; the bot may not run")
    .argument("<file>", "the file that `knack backup` made")
    .option("--replace", "delete what the data folder has")
    .action(does(async () => (await import("./data/backup.ts")).restore));
  add(program, "migrate", "copy the SQLite data of the data folder to an empty PostgreSQL database")
    .option("--to <address>", "postgresql://user:password@host/name, instead of DATABASE_URL", parseDatabase)
    .action(does(async () => (await import("./data/migrate.ts")).migrate));
}
