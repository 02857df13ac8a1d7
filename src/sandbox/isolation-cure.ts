import { readFile } from "node:fs/promises";
import { pattern } from "../base/pattern.ts";

/** Why code of skills that do not ship with the bot cannot be isolated here, and what to do about it; sentences for a person. */
export interface IsolationLack {
  problem: string;
  /** One thing to do, with the command if there is one. */
  cure: string;
}

/** The facts of a machine that lacks something. */
export interface BareMachine {
  /** As Node names it. */
  platform: string;
  /** The text of os-release(5), empty if there is none. */
  osRelease: string;
  isRoot: boolean;
}

/** The command that installs packages, by the id of a distribution or of one it derives from. */
const installers: Readonly<Record<string, string>> = {
  debian: "apt-get install",
  ubuntu: "apt-get install",
  fedora: "dnf install",
  rhel: "dnf install",
  centos: "dnf install",
  amzn: "dnf install",
  alpine: "apk add",
  arch: "pacman -S",
  suse: "zypper install",
  opensuse: "zypper install",
};

/** The system that the bot runs on, by which a sandbox that is missing is explained. */
export async function thisMachine(): Promise<BareMachine> {
  const files = await Promise.all(
    ["/etc/os-release", "/usr/lib/os-release"].map((file) => readFile(file, "utf8").catch(() => "")),
  );
  const osRelease = files.find((text) => text !== "") ?? "";
  return { platform: process.platform, osRelease, isRoot: process.getuid?.() === 0 };
}

/** What to do if bubblewrap is missing; `packages` are all that have to be installed. */
export function missingBubblewrap(machine: BareMachine, packages: readonly string[]): IsolationLack {
  const { platform } = machine;
  if (platform === "darwin") {
    const problem = "Code of skills is isolated by bubblewrap, which macOS does not have.";
    return { problem, cure: "Run Knack in Docker instead: see docs/container.md." };
  }
  if (platform === "win32") {
    const problem = "Code of skills is isolated by bubblewrap, which Windows does not have.";
    return { problem, cure: "Run Knack in WSL2 instead: `wsl --install`, then clone and start it there." };
  }
  const problem = "Code of skills is isolated by bubblewrap, which is not installed.";
  const command = installCommand(machine, packages);
  if (command !== undefined) return { problem, cure: `Run \`${command}\`, then restart the bot.` };
  const names = packages.join(" and ");
  return { problem, cure: `Install ${names} with this system's package manager, then restart the bot.` };
}

/** The command that installs packages here, for a person to run; undefined on an unknown system. */
export function installCommand(
  { osRelease, isRoot }: BareMachine,
  packages: readonly string[],
): string | undefined {
  const installer = installerOf(osRelease);
  return installer && `${isRoot ? "" : "sudo "}${installer} ${packages.join(" ")}`;
}

function installerOf(osRelease: string): string | undefined {
  const field = (name: string) =>
    pattern("m")`^${name}=["']?([^"'\n]*)`.exec(osRelease)?.[1]?.split(/\s+/) ?? [];
  const ids = [...field("ID"), ...field("ID_LIKE")].map((id) => id.replace(/^opensuse-.*/, "opensuse"));
  return ids.map((id) => installers[id]).find((installer) => installer !== undefined);
}
