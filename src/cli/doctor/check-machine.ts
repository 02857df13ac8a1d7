import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { errorText } from "../../base/error-text.ts";
import { ConfigError, describeProblem } from "../../config/config-error.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import type { Config } from "../../config/schema.ts";
import { createSandbox } from "../../sandbox/create-sandbox.ts";
import { exposure } from "../../storage/private-files.ts";
import { sandboxOptions } from "../../wiring/code-runners.ts";
import { readConfig } from "../bot-connection.ts";
import type { CommandProcess, GlobalOptions } from "../command-context.ts";
import { type Finding, failure, fine, warning } from "./doctor-finding.ts";

/** Loads the configuration; one finding per problem if it is invalid. */
export async function checkConfiguration(
  context: CommandProcess,
  options: GlobalOptions,
): Promise<{ loaded?: LoadedConfig; findings: Finding[] }> {
  const name = "configuration";
  try {
    const loaded = await readConfig(context, options);
    const set = Object.values(loaded.sources).filter((source) => source !== "default").length;
    const detail = set === 0 ? "all defaults" : `not default: ${set} (\`knack config\` shows them)`;
    return { loaded, findings: [fine(name, detail)] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const hint = "Correct it, then run `knack doctor` again";
    return {
      findings: error.problems.map(({ hint: advice = hint, ...problem }) =>
        failure(name, describeProblem(problem), advice),
      ),
    };
  }
}

/** Whether the data folder is writable, and whether a bot uses it. */
export async function checkDataFolder(
  { findRunningBot }: CommandProcess,
  { data: { folder } }: Config,
): Promise<{ finding: Finding; usable: boolean }> {
  const name = "data folder";
  const probe = path.join(folder, `.probe-${process.pid}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(probe, "");
    await rm(probe);
  } catch (error) {
    const detail = `${folder} cannot be used: ${errorText(error)}`;
    const advice = "Give this user the right to write there, or name another folder with KNACK_DATA.";
    return { finding: failure(name, detail, advice), usable: false };
  }
  const found = await findRunningBot(folder);
  const holder = found.running && found.holder;
  const bot = holder ? `(process ${holder.pid}) at ${holder.url}` : "that is starting";
  const user = found.running ? `, in use by the bot ${bot}` : "";
  const exposed = await exposure(folder);
  if (exposed === undefined) return { finding: fine(name, folder + user), usable: true };
  const advice = `Run \`chmod 700 ${folder}\` as its owner; the bot does so when it starts and may. Or name another folder with KNACK_DATA.`;
  return { finding: warning(name, exposed + user, advice), usable: true };
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
    return warning("sandbox", weak, lacks?.cure);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
