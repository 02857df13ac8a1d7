import { Argument, Command, Option } from "commander";
import type { Operation } from "../app/operations/operation.ts";
import type { CommandContext, Run } from "./command-context.ts";
import { addDataCommands } from "./data/data-commands.ts";
import { addOperationCommands } from "./operation-commands.ts";
import { namespaceOption, parseCommand, parsePort, parseThread } from "./shared-options.ts";

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
  const run: Run = async (work) => done(await work());
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
  addBotCommands(program, context, run);
  addSkillCommands(program, context, run);
  for (const [name, description] of operationGroups) program.command(name).description(description);
  addFlowCommands(program, context, run);
  addServerCommands(program, context, run);
  addRunCommands(program, context, run);
  addDataCommands(program, context, run);
  addOperatorCommands(program, context, run);
  addOperationCommands(program, context, run, operations);
  for (const command of leavesOf(program)) command.showHelpAfterError(true);
  return program;
}

/** Commands without subcommands. */
function leavesOf({ commands }: Command): readonly Command[] {
  return commands.flatMap((command) => (command.commands.length === 0 ? [command] : leavesOf(command)));
}

function addBotCommands(program: Command, context: CommandContext, run: Run): void {
  program
    .command("start")
    .description("run the bot with its console and API until it is stopped")
    .addOption(
      new Option("--role <role>", "part of the work this process does on a shared database")
        .choices(["all", "gateway", "worker"])
        .default("all"),
    )
    .option("--host <address>", "address to listen on")
    .option("--port <number>", "port to listen on, 0 for a free one", parsePort)
    .option("--accept-empty-log", "start although conversations are missing that were stored, without them")
    .action((_options, command: Command) =>
      run(async () => (await import("./start.ts")).start(context, command.optsWithGlobals())),
    );
  program
    .command("chat")
    .description("chat in the terminal")
    .addOption(namespaceOption())
    .option("--thread <thread>", "continue this thread, or begin one of this name", parseThread)
    .action((_options, command: Command) =>
      run(async () => (await import("./chat.ts")).chat(context, command.optsWithGlobals())),
    );
  program
    .command("ask")
    .description("ask one thing; - reads the text from the standard input")
    .argument("<text>", "what to ask")
    .addOption(namespaceOption())
    .option("--thread <thread>", "continue this thread, or begin one of this name", parseThread)
    .option(
      "--file <path>",
      "a file that goes with it; may be given several times",
      (path: string, before: string[] = []) => [...before, path],
    )
    .option("--json", "every turn event as one line of JSON")
    .action((text: string, _options, command: Command) =>
      run(async () => {
        const { ask } = await import("./ask.ts");
        const { readText } = await import("./terminal-input.ts");
        return ask(context, await readText(context, text), command.optsWithGlobals());
      }),
    );
  program
    .command("command")
    .description('run a slash command as a chat user would, e.g. "/skill enable memory"')
    .argument("<text>", "the command, beginning with /", parseCommand)
    .addOption(namespaceOption())
    .option("--user <id>", "who runs it")
    .option("--json", "{text, ok}")
    .action((text: string, _options, command: Command) =>
      run(async () => (await import("./command.ts")).command(context, text, command.optsWithGlobals())),
    );
}

/** `knack skills …` */
function addSkillCommands(program: Command, context: CommandContext, run: Run): void {
  const skills = program.command("skills").description("list, explain, check, install and run skills");
  skills
    .command("validate")
    .description("the strict Agent Skills check of a folder")
    .argument("<dir>", "folder with a SKILL.md")
    .option("--json", "{valid, errors}")
    .action((folder: string, _options, command: Command) =>
      run(async () =>
        (await import("./skill-commands.ts")).validateSkill(context, folder, command.optsWithGlobals()),
      ),
    );
  skills
    .command("run")
    .description("run a skill without a model")
    .argument("<id>", "id of the skill")
    .argument("[values...]", 'its parameters, as name=value, e.g. text="hello world"')
    .option("--params <json>", "its parameters, a JSON object")
    .addOption(namespaceOption())
    .option("--json", "{skill_id, output, success} or {error}")
    .action((id: string, values: string[], _options, command: Command) =>
      run(async () =>
        (await import("./skill-commands.ts")).runSkill(context, id, values, command.optsWithGlobals()),
      ),
    );
  skills
    .command("install")
    .description("show the review of a package, and install it, off in every channel")
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
    .action((source: string[], _options, command: Command) =>
      run(async () =>
        (await import("./skill-commands.ts")).installSkill(
          context,
          source.join(" "),
          command.optsWithGlobals(),
        ),
      ),
    );
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
function addFlowCommands(program: Command, context: CommandContext, run: Run): void {
  const flows = program.command("flows").description("list and run flows");
  flows
    .command("run")
    .description("run a flow, or show what it would do")
    .argument("<flow>", "its id, name or file")
    .argument("[values...]", "values of its variables, as name=value, e.g. city=Oslo")
    .option("--vars <json>", "values of its variables, a JSON object")
    .option("--dry-run", "only show each request it would make")
    .addOption(namespaceOption())
    .option("--json", "{success, results, variables, directOutput}")
    .action((flow: string, values: string[], _options, command: Command) =>
      run(async () =>
        (await import("./flow-run.ts")).runFlow(context, flow, values, command.optsWithGlobals()),
      ),
    );
}

/** `knack mcp …` */
function addServerCommands(program: Command, context: CommandContext, run: Run): void {
  const mcp = program.command("mcp").description("tool servers (MCP)");
  mcp
    .command("trust")
    .description("choose which tools of a server may run without asking")
    .argument("<name>", "name of the server")
    .option("--tools <names>", "only these run without asking; separated by commas")
    .option("--read-only", "tools run without asking if the server says they only read")
    .option("--none", "every tool asks")
    .option("--json", "the server")
    .action((name: string, _options, command: Command) =>
      run(async () => (await import("./mcp-trust.ts")).trustServer(context, name, command.optsWithGlobals())),
    );
}

function addRunCommands(program: Command, context: CommandContext, run: Run): void {
  program
    .command("prompt")
    .description("show what a new thread would begin with, or what a thread's next model call would get")
    .addOption(namespaceOption())
    .option("--thread <thread>", "the thread whose next request is shown")
    .option("--message <text>", "the message it would be about", "")
    .option("--json", "{system, tools, tokens}, of a thread also {messages}")
    .action((_options, command: Command) =>
      run(async () => (await import("./prompt.ts")).prompt(context, command.optsWithGlobals())),
    );
  const runs = program.command("runs").description("turns and skill executions with timing");
  runs
    .command("show")
    .description("one turn or run, with its steps and its receipt")
    .argument("<id>", "id of a turn or of a skill's run")
    .option("--json", "{turn, events, skills, receipt}")
    .action((id: string, _options, command: Command) =>
      run(async () => (await import("./runs.ts")).showRun(context, id, command.optsWithGlobals())),
    );
  program
    .command("replay")
    .description(
      "have another model answer a turn again, with the recorded results: nothing runs or is posted",
    )
    .argument("[turn]", "id of a turn")
    .requiredOption("--model <name>", "the model, as provider/model")
    .option("--all <suite>", "the turns of config/replays/<suite>.yaml, with their checks")
    .option("--json", "both answers; with --all: {model, passed, turns}")
    .action((turn: string | undefined, _options, command: Command) =>
      run(async () => (await import("./replay/replay.ts")).replay(context, turn, command.optsWithGlobals())),
    );
}

function addOperatorCommands(program: Command, context: CommandContext, run: Run): void {
  program
    .command("demo")
    .description("show what Knack promises, without keys and beside a running bot")
    .command("crash")
    .description("kill a bot in the middle of a task; it resumes and repeats nothing")
    .action(() => run(async () => (await import("./demo-crash.ts")).demoCrash(context)));
  program
    .command("connect")
    .description("lead through connecting the bot to a platform, and check its tokens")
    .addArgument(new Argument("<platform>", "the platform").choices(["slack", "discord"]))
    .option("--json", "{ok, steps, checks}")
    .action((platform: "slack" | "discord", _options, command: Command) =>
      run(async () => (await import("./connect.ts")).connect(context, platform, command.optsWithGlobals())),
    );
  program
    .command("doctor")
    .description(
      "check configuration, keys, platforms, store, skills, servers and sandbox, and say what to do",
    )
    .option(
      "--live",
      "also try what each model can do, for a few cents at most, and ask the platforms about their tokens",
    )
    .option("--json", "{ok, checks}")
    .action((_options, command: Command) =>
      run(async () => (await import("./doctor/doctor.ts")).doctor(context, command.optsWithGlobals())),
    );
  program
    .command("models")
    .description("list the models of every provider that is set up, or of one")
    .argument("[provider]", "a provider, e.g. openrouter")
    .option("--search <text>", "only models whose name holds this text")
    .option("--all", "all models of a provider, not only the first 50")
    .option("--json", "{providers: [{provider, models, error}]}")
    .action((provider: string | undefined, _options, command: Command) =>
      run(async () => (await import("./models.ts")).models(context, provider, command.optsWithGlobals())),
    );
  program
    .command("config")
    .description("show the configuration in force, secrets masked, with sources and meanings")
    .option("--json", "{settings}")
    .action((_options, command: Command) =>
      run(async () => (await import("./config.ts")).showConfig(context, command.optsWithGlobals())),
    );
}
