import { z } from "zod";
import { escapeMarkdown } from "../../../base/markdown-text.ts";
import { nearestNames } from "../../../base/text/nearest-name.ts";
import { decideCall } from "../../../core/decisions/decide-call.ts";
import {
  isTrusted,
  readTrust,
  type ServerTrust,
  writeTrust,
} from "../../../core/decisions/standing-decisions.ts";
import type { ServerStatus } from "../../../core/skill/packages.ts";
import type { Skill } from "../../../core/skill/skill.ts";
import { failed, type Outcome } from "../../../core/values/failure.ts";
import { closed, diagnostic } from "../../services/shapes.ts";
import { auditNote, operation, operators } from "../operation.ts";
import type { CommandOption, Services } from "../services.ts";
import { controlledText, type ServerView, serverListText, serverView, stateWords } from "./server-view.ts";

export const serverName = z.string().min(1).max(200).describe("a server's name");
const who = operators("start, stop and trust its servers");
const missing = "Which server? `/mcp list` shows what there is.";

const serverOption: CommandOption = {
  name: "server",
  description: "The name of the server",
  required: true,
  complete: async (services) =>
    (await configured(services)).map(({ name, state }) => ({ text: name, description: stateWords(state) })),
};

/** The argument of commands about one server. */
export const named = {
  missing,
  options: [serverOption],
  read: (words: string) => (words === "" ? undefined : { name: words }),
};

export const listServers = operation({
  name: "server.list",
  input: z.object({}),
  output: z.object({
    servers: z.array(serverView),
    diagnostics: z.array(diagnostic).describe("parts of the file of servers that were left out, and why"),
  }),
  who: "anyone",
  about: "bot",
  http: {
    route: "GET /mcp",
    summary: "The tool servers (MCP), their state and their tools",
    answers: "the servers",
  },
  chat: {
    command: "mcp list",
    description: "Shows the tool servers (MCP), their state and their tools",
    read: () => ({}),
  },
  commandLine: { command: "mcp list", settled: true },
  text: (output, _input, reading) => serverListText(output, reading),
  async run({ services }) {
    const servers = await Promise.all((await configured(services)).map((status) => viewOf(status, services)));
    return { ok: true, value: { servers, diagnostics: [...(services.servers?.problems() ?? [])] } };
  },
});

const actions = ["start", "stop", "restart"] as const;

/** Texts for help in a chat, and for the audit. */
const actionWords = {
  start: ["Starts a tool server", "started"],
  stop: ["Stops a tool server", "stopped"],
  restart: ["Stops a tool server and starts it again", "restarted"],
} as const;

const onlyATry =
  "No bot runs on this data folder, so this was only a test: the server ends with this command.";

export const controlServer = operation({
  name: "server.control",
  input: z.object({ name: serverName, action: z.enum(actions) }),
  output: serverView,
  who,
  http: {
    route: "POST /mcp/{name}/{action}",
    summary: "Start, stop or restart a tool server",
    answers: "the server afterwards; it may have failed to start",
  },
  chat: actions.map((action) => ({
    ...named,
    command: `mcp ${action}`,
    public: true,
    description: actionWords[action][0],
    read: (words: string) => (words === "" ? undefined : { name: words, action }),
  })),
  commandLine: actions.map((action) => ({
    command: `mcp ${action} <name>`,
    description: `${action} a tool server`,
    read: ({ name = "" }) => ({ name, action }),
    warnHere: onlyATry,
  })),
  failed: ({ state }, { action }) => action !== "stop" && state !== "running" && state !== "starting",
  text: (server, { action }, reading) => controlledText(server, action, reading),
  async run({ input, services }) {
    const found = await findServer(input.name, services);
    if (!found.ok || services.servers === undefined) return found;
    const status = await services.servers[input.action](found.value.name);
    if (status === undefined) return unknownServer(input.name, await configured(services));
    return { ok: true, value: status };
  },
  audit: ({ name }, { input: { action } }) =>
    auditNote(`server_${action}`, name, `${actionWords[action][1]} the server **${name}**`),
});

export const trustServer = operation({
  name: "server.trust",
  input: z.object({
    name: serverName,
    tools: z
      .array(closed(z.object({ name: z.string().max(300), definition: z.string().max(100) })))
      .max(1_000)
      .describe("the tools that may run unasked, as they were listed; all others ask"),
  }),
  output: serverView,
  who,
  http: {
    route: "PUT /mcp/{name}/trust",
    summary: "Say which tools of a server may run unasked",
    answers: "the server afterwards",
  },
  async run({ input: { name, tools }, asker, services }) {
    const found = await findServer(name, services);
    if (!found.ok) return found;
    const server = await viewOf(found.value, services);
    const changed = tools.find(
      (tool) => !server.tools.some((each) => each.name === tool.name && each.definition === tool.definition),
    );
    if (changed !== undefined) return notAsSeen(server.name, changed.name);
    const confirmed = tools.map((tool) => ({ tool: tool.name, definition: tool.definition }));
    const { store, clock } = services;
    await writeTrust(store, server.name, { tools: confirmed, by: asker.by.id, at: clock.now() });
    return { ok: true, value: await viewOf(found.value, services) };
  },
  audit({ name }, { input }) {
    const tools = input.tools.map((tool) => escapeMarkdown(tool.name)).join(", ") || "none";
    const detail = `lets these tools of the server **${name}** run unasked: ${tools}`;
    return auditNote("server_trusted", name, detail);
  },
});

/** The servers as currently configured: the catalogue is read first, because it updates the list. */
export async function configured({ servers, catalogue }: Services): Promise<readonly ServerStatus[]> {
  if (servers === undefined) return [];
  await catalogue.current();
  return servers.list();
}

export async function findServer(name: string, services: Services): Promise<Outcome<ServerStatus>> {
  const wanted = name.toLowerCase();
  const all = await configured(services);
  const found =
    all.find((server) => server.name === name) ??
    all.find((server) => server.name.toLowerCase() === wanted || server.skill_id.toLowerCase() === wanted);
  return found === undefined ? unknownServer(name, all) : { ok: true, value: found };
}

export function unknownServer(name: string, all: readonly ServerStatus[]): Outcome<never> {
  const names = all.map((server) => server.name);
  const near = nearestNames(name, names);
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(" or ")}?`
      : names.length > 0
        ? `There is: ${names.slice(0, 20).join(", ")}.`
        : "No server is configured: an operator lists them in the bot's `mcp.json`.";
  return failed(404, `There is no server called ${name || "that"}. ${hint}`);
}

function notAsSeen(server: string, tool: string): Outcome<never> {
  const message = `The tool ${tool} of ${server} has changed or is gone, so nothing was changed. Look at its tools again.`;
  return failed(409, message);
}

async function viewOf(status: ServerStatus, { catalogue, store }: Services): Promise<ServerView> {
  const skill = (await catalogue.current()).skills.get(status.skill_id);
  const trust = await readTrust(store, status.name);
  return { ...status, tools: status.tools.map((tool) => toolView(tool, skill, trust)) };
}

/** A tool of a server as people see it. For tools that are not offered, it does not say whether calls ask. */
function toolView(
  { name, description, suppressed }: ServerStatus["tools"][number],
  skill: Skill | undefined,
  trust: ServerTrust | undefined,
): ServerView["tools"][number] {
  const seen = { name, description, suppressed };
  const tool = skill?.tools.find((each) => each.server?.tool === name);
  if (skill === undefined || tool?.server === undefined) return seen;
  const { hints, definition } = tool.server;
  const trusted = isTrusted(tool.server, trust);
  const asked = decideCall({
    tool: tool.name,
    skill_id: skill.id,
    effect: tool.effect({}),
    risk: skill.risk,
    origin: { kind: "server", tool: tool.server, trusted },
    by_person: false,
    trust: "member",
    direct: false,
  });
  return { ...seen, ...hints, definition, trusted, asks: asked?.approver ?? "nobody" };
}
