import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { percentDecoded } from "../../base/text/percent-decoded.ts";
import type { ScriptOutcome } from "../../core/ports/work-means.ts";
import { accessTo } from "../../core/skill/network-grants.ts";
import { BuildRefusal, buildInside, openBuild, tooLarge } from "../build-folder.ts";
import type { LaunchRequest } from "../isolation.ts";
import { installCommand, thisMachine } from "../isolation-cure.ts";
import { findProgram } from "../run/programs.ts";
import { runToEnd } from "../run/script-runner.ts";
import type { SandboxContext } from "../sandbox-context.ts";

/** The sources of packages, and their limits. */
export interface PackageSources {
  /** Address of a Python index (PEP 503), with user and password if it needs them. */
  pythonIndex: string;
  /** Address of an npm registry. */
  npmRegistry: string;
  /** Additional hosts of package files, as grants name hosts. */
  hosts: readonly string[];
  /** Of one set, including temporary files of the installer, bytes. */
  maxBytes: number;
  /** Of one installer's run, ms. */
  maxMs: number;
}

/** Files of PyPI are on a host of their own. */
const hostsOfIndex: Readonly<Record<string, readonly string[]>> = { "pypi.org": ["files.pythonhosted.org"] };

/** The context of one preparation. */
export interface InstallerContext {
  sandbox: SandboxContext;
  sources: PackageSources;
  signal: AbortSignal;
  onLine(line: string): void;
}

export interface InstallerRun {
  code: Pick<LaunchRequest, "folder" | "interpreter" | "entry" | "args" | "env">;
  /** Allowed network: the host of this address, and the additional ones. */
  address: string;
  /** An empty folder on this machine, which the installer sees as its working folder. */
  folder: string;
  /** Texts that are put into the folder before the installer runs, by their names. It may change them. */
  files: Readonly<Record<string, string>>;
}

/**
 * Runs an installer in the sandbox, with access to package hosts only.
 * @throws BuildRefusal where it fails, with `explain` applied to its output, and the signal's reason
 */
export async function runInstaller(
  { code, address, folder, files }: InstallerRun,
  { sandbox, sources, signal, onLine }: InstallerContext,
  explain: (printed: string) => string | undefined,
): Promise<void> {
  const working = await openBuild(folder, sources.maxBytes);
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text);
    // The installer may run as another user.
    await chmod(join(folder, name), 0o666);
  }
  const hosts = [...hostsOf(address), ...sources.hosts];
  const request = {
    working,
    signal,
    stdin: "",
    env: code.env,
    onLine: (line: string) => onLine(withoutSecrets(line, address)),
    network: accessTo(hosts),
    timeout_ms: sources.maxMs,
    max_output_bytes: 1_000_000,
  };
  const { openPackageProxy: openProxy = sandbox.openProxy } = sandbox;
  const outcome = await runToEnd({ ...code, shipped: false }, request, { ...sandbox, openProxy });
  if (outcome.status === "exited" && outcome.exit_code === 0) return;
  throw new BuildRefusal(withoutSecrets(failureOf(outcome, sources, explain), address));
}

function failureOf(
  outcome: ScriptOutcome,
  { maxMs, maxBytes }: PackageSources,
  explain: (printed: string) => string | undefined,
): string {
  if (outcome.status === "refused") return outcome.reason;
  const printed = `${outcome.stdout}\n${outcome.stderr}`;
  if (/\[Errno 2[78]\]|\b(?:EFBIG|ENOSPC)\b/.test(printed))
    return `There is too little space for it. ${tooLarge(maxBytes)}`;
  if (outcome.status === "timed_out") {
    const end = lastLines(printed);
    return `The installer was stopped after ${Math.round(maxMs / 1_000)} seconds.${end === "" ? "" : ` Its last output: ${end}`}`;
  }
  return (
    explain(printed) ?? `The installer failed: ${lastLines(printed) || `it ended with ${outcome.exit_code}`}`
  );
}

function lastLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .slice(-4)
    .join(" ")
    .slice(-800);
}

/** The hosts of an address, in the form a proxy asks for them. */
export function hostsOf(address: string): string[] {
  const { hostname, port } = new URL(address);
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, "");
  const own = port === "" ? host : `${host.includes(":") ? `[${host}]` : host}:${port}`;
  return [own, ...(hostsOfIndex[host] ?? [])];
}

/** Hides the password of an index. */
function withoutSecrets(text: string, address: string): string {
  const { username, password } = new URL(address);
  return [password, username]
    .filter((secret) => secret !== "")
    .flatMap((secret) => [secret, percentDecoded(secret)])
    .reduce((cleaned, secret) => cleaned.replaceAll(secret, "***"), text);
}

/** What to do if a program is missing. */
export async function missingProgram(what: string, systemPackage: string): Promise<BuildRefusal> {
  const command = installCommand(await thisMachine(), [systemPackage]);
  const cure = command === undefined ? `Install ${systemPackage}` : `Run \`${command}\``;
  return new BuildRefusal(`${what} is not installed system-wide on this machine. ${cure}, then try again.`);
}

/**
 * A command prefix that sets the folder of temporary files, because the sandbox's own is small, and sends all addresses to the proxy: an
 * index may listen on this machine, which is not the sandbox.
 */
export async function withTemp(): Promise<string[]> {
  const env = await findProgram("env");
  return env === undefined ? [] : [env, `TMPDIR=${buildInside}/temp`, "NO_PROXY=", "no_proxy="];
}

/** The path of `folder/name` on this machine as the installer sees it. */
export function inBuild(name: string): string {
  return join(buildInside, name);
}
