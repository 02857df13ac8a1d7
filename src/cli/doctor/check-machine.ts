import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { errorText } from "../../base/error-text.ts";
import { ConfigError } from "../../config/config-error.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import type { Config } from "../../config/schema.ts";
import { createSandbox } from "../../sandbox/create-sandbox.ts";
import { exposure } from "../../storage/private-files.ts";
import { sandboxOptions } from "../../wiring/code-runners.ts";
import { readConfig } from "../bot-connection.ts";
import type { CommandContext, GlobalOptions } from "../command-context.ts";
import { type Finding, failure, fine, warning } from "./doctor-finding.ts";

const oldestNode = 24;

export function checkNode(version: string): Finding {
  if (Number.parseInt(version, 10) >= oldestNode) return fine("node", version);
  return failure(
    "node",
    `${version} is too old`,
    `Install Node ${oldestNode} or newer from https://nodejs.org.`,
  );
}

/** Loads the configuration; one finding per problem if it is invalid. */
export async function checkConfiguration(
  context: CommandContext,
  options: GlobalOptions,
): Promise<{ loaded?: LoadedConfig | undefined; findings: Finding[] }> {
  const name = "configuration";
  try {
    const loaded = await readConfig(context, options);
    const set = Object.values(loaded.sources).filter((source) => source !== "default").length;
    const detail = set === 0 ? "all defaults" : `not default: ${set} (\`knack config\` shows them)`;
    return { loaded, findings: [fine(name, detail)] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const findings = error.problems.map(
      ({ where, key, message, hint = "Correct it, then run `knack doctor` again" }) =>
        failure(name, `${where}: ${key ? `${key}: ` : ""}${message}`, hint),
    );
    return { findings };
  }
}

/** Whether the data folder is writable, and whether a bot uses it. */
export async function checkDataFolder(
  { findRunningBot }: CommandContext,
  { data: { folder } }: Config,
): Promise<{ finding: Finding; usable: boolean; running: boolean }> {
  const name = "data folder";
  const probe = path.join(folder, `.probe-${process.pid}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(probe, "");
    await rm(probe);
  } catch (error) {
    const detail = `${folder} cannot be used: ${errorText(error)}`;
    const advice = "Give this user the right to write there, or name another folder with KNACK_DATA.";
    return { finding: failure(name, detail, advice), usable: false, running: false };
  }
  const found = await findRunningBot(folder);
  const bot =
    found.running && found.holder
      ? `(process ${found.holder.pid}) at ${found.holder.url}`
      : "that is starting";
  const holder = found.running ? `, in use by the bot ${bot}` : "";
  const exposed = await exposure(folder);
  const advice = `Run \`chmod 700 ${folder}\` as its owner; the bot does so when it starts and may. Or name another folder with KNACK_DATA.`;
  const finding =
    exposed === undefined ? fine(name, folder + holder) : warning(name, exposed + holder, advice);
  return { finding, usable: true, running: found.running };
}

/** Whether the server could listen on its address. */
export async function checkPort({ host, port }: Config["server"]): Promise<Finding> {
  const server = createServer();
  try {
    await once(server.listen(port, host), "listening");
    return fine("port", `${host} port ${port === 0 ? "(any)" : port} is free`);
  } catch (error) {
    const advice = "Stop the program that listens there, or set server.port (or start with --port).";
    return failure("port", `${host} port ${port}: ${errorText(error)}`, advice);
  } finally {
    server.close();
  }
}

/**
 * The isolation of skills' scripts on this machine. Tested in a separate folder, so that a running bot's workspaces stay
 * untouched.
 */
export async function checkSandbox(config: Config): Promise<Finding> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "knack-doctor-"));
  try {
    const sandbox = await createSandbox({ ...sandboxOptions(config), dataDir });
    const { isolation, detail, lacks } = sandbox.describe();
    if (isolation === "bubblewrap") return fine("sandbox", `bubblewrap. ${detail}`);
    const weak = `process only, which is weaker. ${detail}`;
    return { name: "sandbox", status: "warning", detail: weak, advice: lacks?.cure };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
