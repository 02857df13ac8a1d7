import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { errorText } from "../base/error-text.ts";
import { ConfigError } from "../config/config-error.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { providerOfModel } from "../config/model-providers.ts";
import type { Config } from "../config/schema.ts";
import type { LocalServer } from "../models/local-servers.ts";
import { exposure } from "../storage/private-files.ts";
import { readConfig } from "./bot-connection.ts";
import type { CommandContext, GlobalOptions } from "./command-context.ts";
import type { Finding } from "./doctor-finding.ts";
import { adviceForOffline } from "./model-advice.ts";

const oldestNode = 24;

export function checkNode(version: string): Finding {
  const name = "node";
  if (Number.parseInt(version, 10) >= oldestNode) return { name, status: "ok", detail: version };
  const advice = `Install Node ${oldestNode} or newer from https://nodejs.org.`;
  return { name, status: "error", detail: `${version} is too old`, advice };
}

/** The configuration, and one finding per problem when it cannot be used. */
export async function checkConfiguration(
  context: CommandContext,
  options: GlobalOptions,
): Promise<{ loaded: LoadedConfig | undefined; findings: Finding[] }> {
  const name = "configuration";
  try {
    const loaded = await readConfig(context, options);
    const set = Object.values(loaded.sources).filter((source) => source !== "default").length;
    const detail = set === 0 ? "all defaults" : `not default: ${set} (\`knack config\` shows them)`;
    const superseded = loaded.warnings.map(
      (detail): Finding => ({ name, status: "warning", detail, advice: "Set the new one instead." }),
    );
    return { loaded, findings: [{ name, status: "ok", detail }, ...superseded] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const findings = error.problems.map(
      ({ where, key, message, hint = "Correct it, then run `knack doctor` again" }): Finding => ({
        name,
        status: "error",
        detail: `${where}: ${key ? `${key}: ` : ""}${message}`,
        advice: hint,
      }),
    );
    return { loaded: undefined, findings };
  }
}

/** Whether the data folder can be written, and whether a bot holds it. */
export async function checkDataFolder(
  { findRunningBot }: CommandContext,
  { data }: Config,
): Promise<{ finding: Finding; usable: boolean; running: boolean }> {
  const name = "data folder";
  const probe = path.join(data.folder, `.probe-${process.pid}`);
  try {
    await mkdir(data.folder, { recursive: true, mode: 0o700 });
    await writeFile(probe, "");
    await rm(probe);
    const found = await findRunningBot(data.folder);
    const holder = found.running
      ? `, in use by the bot ${found.holder ? `(process ${found.holder.pid}) at ${found.holder.url}` : "that is starting"}`
      : "";
    const exposed = await exposure(data.folder);
    return {
      finding:
        exposed === undefined
          ? { name, status: "ok", detail: `${data.folder}${holder}` }
          : { name, status: "warning", detail: exposed + holder, advice: privateAdvice(data.folder) },
      usable: true,
      running: found.running,
    };
  } catch (error) {
    const detail = `${data.folder} cannot be used: ${errorText(error)}`;
    const advice = "Give this user the right to write there, or name another folder with KNACK_DATA.";
    return { finding: { name, status: "error", detail, advice }, usable: false, running: false };
  }
}

function privateAdvice(folder: string): string {
  return `Run \`chmod 700 ${folder}\` as its owner; the bot does so when it starts and may. Or name another folder with KNACK_DATA.`;
}

/**
 * Whether every model that may be asked has what it needs.
 * @param names of the models
 * @param local where servers of models are looked for when there is none
 */
export async function checkModelKeys(
  config: Config,
  names: readonly string[],
  local: readonly LocalServer[],
): Promise<Finding[]> {
  const { model } = config;
  const name = "model";
  if (model.choice === "offline") {
    const detail = "offline: skills work by simple rules, without a language model";
    const advice = (await adviceForOffline(config, local)).join(" ");
    return [{ name, status: "warning", detail, advice }];
  }
  return names.map((choice): Finding => {
    const provider = providerOfModel(choice, model);
    if (provider?.missing !== undefined) {
      const { what, set } = provider.missing;
      const advice = `Set ${set}, or choose another model with KNACK_MODEL.`;
      return { name, status: "error", detail: `${choice} has no ${what}`, advice };
    }
    const access = provider?.section.api_key !== undefined ? "with a key" : "at its own address";
    return { name, status: "ok", detail: `${choice}, ${access}` };
  });
}

/** Whether the server could listen where it should. */
export async function checkPort({ host, port }: Config["server"]): Promise<Finding> {
  const name = "port";
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, "listening");
    return { name, status: "ok", detail: `${host} port ${port === 0 ? "(any)" : port} is free` };
  } catch (error) {
    const detail = `${host} port ${port}: ${errorText(error)}`;
    const advice = "Stop the program that listens there, or set server.port (or start with --port).";
    return { name, status: "error", detail, advice };
  } finally {
    server.close();
  }
}
