import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { parsedJson } from "../base/json-reader.ts";
import { isRecord } from "../base/record.ts";
import { bundleServer } from "./bundle-server.ts";
import { type Environment, expandVariables } from "./expand-variables.ts";

type Entry = Readonly<Record<string, unknown>>;

/** A server that a package describes, as an entry of the file names it, or why there is none. */
export class PackagedServer {
  /** With all variables filled in, and with what the operator adds. */
  readonly entry: Entry;
  /** As the package has it: a new key does not make it another server. */
  readonly written: Entry;
  /** Settings that the package calls sensitive. */
  readonly secrets: readonly string[];
  readonly problem: string | undefined;

  constructor({ entry = {}, written = {}, secrets = [], problem }: Partial<PackagedServer>) {
    this.entry = entry;
    this.written = written;
    this.secrets = secrets;
    this.problem = problem;
  }
}

/** The machine that a server is started on. */
export interface Machine {
  platform: string;
  environment: Environment;
}

/**
 * The entries of a file, in which one that names a package (`from`: the folder of a plugin, an extension or an unpacked bundle) stands for
 * the servers in it: `NAME`, or `NAME-SERVER` for each of several. Variables in a package stand for the operator's only where the entry
 * passes them on (`env`, `user_config`). @param folder that paths are relative to
 */
export async function withPackaged(
  entries: Entry,
  folder: string,
  machine: Machine,
): Promise<Record<string, unknown>> {
  const found = Object.entries(entries).map(async ([name, entry]) => {
    if (!isRecord(entry) || typeof entry.from !== "string") return [[name, entry] as const];
    const servers = await packagedServers(entry, path.resolve(folder, entry.from), machine);
    return servers.map(({ own, server }) => [own === undefined ? name : `${name}-${own}`, server] as const);
  });
  return Object.fromEntries((await Promise.all(found)).flat());
}

interface Named {
  /** Of several servers in a package. */
  own?: string;
  server: PackagedServer;
}

async function packagedServers(
  { from: _, ...entry }: Entry,
  root: string,
  { platform, environment }: Machine,
): Promise<Named[]> {
  const unusable = (problem: string) => [{ server: new PackagedServer({ problem }) }];
  const isFolder = await stat(root).then(
    (found) => found.isDirectory(),
    () => undefined,
  );
  if (isFolder === undefined) return unusable(`there is no folder ${root}.`);
  if (!isFolder) return unusable(`${root} is no folder. Unpack a bundle (unzip FILE -d FOLDER).`);
  const { value, missing } = expandVariables(entry, environment);
  if (missing.length > 0) return unusable(`${missing.join(", ")} is not set in the environment.`);
  const { user_config = {}, ...own } = value;
  const places = { CLAUDE_PLUGIN_ROOT: root, __dirname: root, extensionPath: root, HOME: environment.HOME };
  const manifest = await readJsonFile(path.join(root, "manifest.json"));
  if (isRecord(manifest) && isRecord(manifest.server)) {
    const read = bundleServer(manifest, {
      given: isRecord(user_config) ? user_config : {},
      places,
      platform,
    });
    if (typeof read === "string") return unusable(read);
    return [{ server: complete(read.entry, read.values, { root, own, secrets: read.secrets }) }];
  }
  const servers = Object.entries(await pluginServers(root));
  if (servers.length === 0)
    return unusable(`${root} names no tool server in .mcp.json, a plugin's or extension's manifest.`);
  const values = { ...(isRecord(own.env) ? (own.env as Environment) : {}), ...places };
  return servers.map(([name, each]) => ({
    ...(servers.length > 1 && { own: name }),
    server: complete(isRecord(each) ? each : {}, values, { root, own, secrets: [] }),
  }));
}

/** Keys that a package may set: what reaches the server. No right is taken from a package. */
const reaching = ["type", "command", "args", "env", "cwd", "url", "httpUrl", "serverUrl", "headers"];

function complete(
  entry: Entry,
  values: Environment,
  { root, own, secrets }: { root: string; own: Entry; secrets: readonly string[] },
): PackagedServer {
  const written = Object.fromEntries(Object.entries(entry).filter(([key]) => reaching.includes(key)));
  const { value, missing } = expandVariables(written, values);
  const problem =
    missing.length === 0
      ? undefined
      : `its package asks for ${missing.join(", ")}. Set ${missing.length === 1 ? "it" : "them"} in env of the entry.`;
  const env = { ...(isRecord(value.env) ? value.env : {}), ...(isRecord(own.env) ? own.env : {}) };
  return new PackagedServer({
    entry: { ...value, ...own, ...(Object.keys(env).length > 0 && { env }) },
    written: { ...written, cwd: written.cwd ?? root },
    secrets,
    problem,
  });
}

/** https://code.claude.com/docs/en/plugins-reference#mcp-servers; an extension of Gemini CLI has them in its manifest. */
async function pluginServers(root: string): Promise<Entry> {
  const found: Record<string, unknown> = {};
  for (const file of [".mcp.json", ".claude-plugin/plugin.json", "gemini-extension.json"]) {
    const json = await readJsonFile(path.join(root, file));
    if (!isRecord(json)) continue;
    const { mcpServers = file === ".mcp.json" ? json : {} } = json;
    for (const part of [mcpServers].flat()) Object.assign(found, await entriesIn(root, part));
  }
  return found;
}

/** A manifest may name a file of the plugin in place of the entries. */
async function entriesIn(root: string, part: unknown): Promise<Entry> {
  if (isRecord(part)) return part;
  const file = path.resolve(root, String(part));
  const json = file.startsWith(root + path.sep) ? await readJsonFile(file) : undefined;
  if (!isRecord(json)) return {};
  return isRecord(json.mcpServers) ? json.mcpServers : json;
}

/** Maximum bytes of a manifest. */
const maxManifest = 1_000_000;

async function readJsonFile(file: string): Promise<unknown> {
  try {
    const bytes = await readFile(file);
    return bytes.byteLength > maxManifest ? undefined : parsedJson(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}
