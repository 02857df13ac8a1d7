import type { ServerStatus } from "../client/shapes.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import { type Connection, reportRefusals } from "./bot-connection.ts";
import { type CommandContext, CommandError, exitCode, type ResultOptions } from "./command-context.ts";
import { readAnswer } from "./terminal-input.ts";

/** The tools that run without asking: some, by names with commas; those that only read, according to the server; or none. */
interface Choice {
  tools?: string;
  readOnly?: true;
  none?: true;
}

type Tool = ServerStatus["tools"][number] & { definition: string };

/**
 * `knack mcp trust`: chooses the tools of a server that run without asking, by options or by a list in a terminal. Without
 * either it shows the current choice and changes nothing.
 */
export async function trustServer(
  context: CommandContext,
  name: string,
  options: ResultOptions & Choice,
): Promise<number> {
  return reportRefusals(context, options, async ({ client }) => {
    const server = await serverWithTools(client, name);
    const tools = server.tools.filter((tool): tool is Tool => tool.definition !== undefined);
    if (tools.length === 0)
      throw new CommandError(`${server.name} offers no tools. See how it does with: knack mcp list`);
    const chosen = chosenBy(tools, options) ?? (await chosenByPerson(context, server.name, tools, options));
    if (chosen === undefined)
      return context.out.result(options, server, () => [
        ...tools.map((tool, at) => toolLine(tool, at, tool.trusted)),
        "Nothing was changed. Choose with --tools a,b, --read-only or --none.",
      ]);
    const confirmed = chosen.map((tool) => ({ name: tool.name, definition: tool.definition }));
    const after = await client.call("server.trust", { name: server.name, tools: confirmed });
    const free = after.tools.filter(({ asks }) => asks === "nobody").map((tool) => plainLine(tool.name));
    return context.out.result(options, after, () => [
      `Unasked run: ${free.join(", ") || "none"}. All other tools ask.`,
    ]);
  });
}

/** The server; starts it if its tools are not known yet. */
async function serverWithTools(client: Connection["client"], name: string): Promise<ServerStatus> {
  const find = async () =>
    (await client.call("server.list", {})).servers.find((server) => server.name === name);
  const known = await find();
  if (known !== undefined && known.tools.length > 0) return known;
  // The error for an unknown name lists the servers.
  await client.call("server.control", { name, action: "start" });
  const started = await find();
  if (started === undefined) throw new CommandError(`There is no server called ${plainLine(name)}.`);
  return started;
}

/** The tools chosen by options; undefined without any. @throws CommandError */
function chosenBy(tools: readonly Tool[], { tools: named, readOnly, none }: Choice): Tool[] | undefined {
  if ([named, readOnly, none].filter((option) => option !== undefined).length > 1)
    throw new CommandError("Give one of --tools, --read-only and --none.", exitCode.usage);
  if (none) return [];
  if (readOnly) return tools.filter(onlyReads);
  if (named === undefined) return undefined;
  const wanted = named
    .split(",")
    .map((tool) => tool.trim())
    .filter(Boolean);
  const unknown = wanted.filter((tool) => !tools.some((each) => each.name === tool));
  if (unknown.length > 0) {
    const there = tools.map((tool) => plainLine(tool.name)).join(", ");
    throw new CommandError(`No such tool: ${plainLine(unknown.join(", "))}. There is: ${there}.`);
  }
  return tools.filter((tool) => wanted.includes(tool.name));
}

/** The default of the list. */
function onlyReads({ read_only, destructive }: Tool): boolean {
  return read_only === true && destructive !== true;
}

/** Undefined if nobody can be asked, or if the person left. */
async function chosenByPerson(
  context: CommandContext,
  server: string,
  tools: readonly Tool[],
  { json }: ResultOptions,
): Promise<Tool[] | undefined> {
  if (context.stdin.isTTY !== true || json) return undefined;
  const wasConfirmed = tools.some(({ trusted }) => trusted === true);
  let ticked = new Set(tools.filter((tool) => (wasConfirmed ? tool.trusted : onlyReads(tool))));
  for (;;) {
    context.out.note(`Which tools of ${plainLine(server)} may run unasked?`);
    for (const [at, tool] of tools.entries()) context.out.note(toolLine(tool, at, ticked.has(tool)));
    const question = "Numbers to change, Enter to confirm, q to leave: ";
    const answer = await readAnswer(context, question);
    if (answer === "") return [...ticked];
    if (answer === undefined || answer === "q") return undefined;
    const numbers = answer.split(/[\s,]+/).map(Number);
    ticked = new Set(tools.filter((tool, at) => ticked.has(tool) !== numbers.includes(at + 1)));
  }
}

/** `[x] 1 read_mail (only reads): Reads a message`. */
function toolLine(tool: Tool, at: number, isTicked: boolean | undefined): string {
  const { name, description, destructive } = tool;
  const hint = destructive === true ? "destroys" : onlyReads(tool) ? "only reads" : "may change something";
  const about = plainLine(description).slice(0, 100);
  return `[${isTicked === true ? "x" : " "}] ${at + 1} ${plainLine(name)} (${hint})${about === "" ? "" : `: ${about}`}`;
}
