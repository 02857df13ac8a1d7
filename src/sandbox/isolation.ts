import { totalmem } from "node:os";
import type { MountedFolder } from "../core/ports/working-folder.ts";
import type { PackageLanguage } from "../core/skill/packages.ts";
import type { IsolationLack } from "./isolation-cure.ts";
import type { LibraryFolder } from "./library-folders.ts";

/** The limits of a script, under any isolation. */
export interface SandboxLimits {
  /** Memory each process of a script may write to, bytes. */
  memoryBytes: number;
  /** Memory of all its processes together, checked while it runs, bytes. */
  totalMemoryBytes: number;
  /** Processes and threads at one time. */
  processes: number;
  /** Maximum file size; with bubblewrap also the size of the workspace, bytes. */
  workspaceBytes: number;
  /** Scripts and programs at one time. Together with `processes` it limits the processes of all of them. */
  maxRunning: number;
  /** How long a script or program waits for others to end if that many run, ms. */
  maxWaitMs: number;
  /** Memory of everything that runs, checked as `totalMemoryBytes` is, bytes. */
  allMemoryBytes: number;
  /** Free memory that the machine must keep while something runs, checked in the same way, bytes. */
  minFreeBytes: number;
}

/** Enough for Node, which needs about 0.6 GB to start under such a limit, and for common Python libraries. */
export const defaultLimits: SandboxLimits = {
  memoryBytes: 1_073_741_824,
  totalMemoryBytes: 2_147_483_648,
  processes: 64,
  workspaceBytes: 268_435_456,
  maxRunning: 16,
  maxWaitMs: 30_000,
  allMemoryBytes: Math.round(availableMemory() / 2),
  minFreeBytes: Math.min(1_073_741_824, Math.round(totalmem() / 16)),
};

/** Memory of the machine, or of the container the bot runs in, bytes. */
function availableMemory(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/** What any isolation needs to know, whichever is chosen. */
export interface IsolationNeeds {
  limits: SandboxLimits;
  /** Path of bubblewrap; by default it is searched for in the system's program folders. */
  bwrap?: string | undefined;
  /** Real paths hidden from scripts, even if they lie within a system folder. */
  hidden: readonly string[];
  /** Certificate files that programs trust in addition to the machine's, by the variable that names them, e.g. SSL_CERT_FILE. */
  certificates: Readonly<Record<string, string>>;
  /** The time zone that programs see, an IANA name. */
  timeZone: string;
  /** Ids of skills whose code runs without bubblewrap, although they do not ship with the bot. */
  allowWeak: readonly string[];
  /** Folders of programs in addition to the system's: those of the bot's PATH (Homebrew, pyenv and the like). Absolute paths. */
  searchPath: readonly string[];
}

export interface LaunchRequest {
  /** Real path of the skill's folder; absent for code that belongs to no skill. */
  folder?: string | undefined;
  /** `node` is the Node that the bot runs on; everything else is an absolute path or an argument. */
  interpreter: readonly string[];
  /** What the interpreter runs: a path within the skill's folder, a module of the bot with its folder, or a text. */
  entry: { script: string } | { module: string } | { text: string; name: string };
  /** Skills whose files it sees, in this order: in the working folder too, if there is one. */
  shown?: readonly ShownSkill[];
  /** The working folder of the thread it works for; without one it gets an empty one of its own. */
  working?: MountedFolder | undefined;
  /** Folders of the skill in which Python finds modules, relative to it. */
  moduleFolders?: readonly string[];
  /** Prepared packages that it may use. */
  packages?: PackageFolders | undefined;
  /** Packages of the bot that Node finds from CommonJS when there is no other of the name. */
  libraries?: readonly LibraryFolder[];
  /** See `placedArguments`. */
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Whether the code is part of the bot. */
  shipped: boolean;
  /** CPU time limit of each process, ms. Absent for programs that keep running. */
  timeoutMs?: number;
  /** The bot's proxy for this run, a unix socket; without it there is no network. */
  socket?: string;
  /** A certificate (PEM) that its programs trust. */
  authority?: string | undefined;
  /** A unix socket on which a text that is run can call tools. */
  calls?: string;
  /** An empty folder of this run, removed afterwards. */
  runFolder: string;
}

/** A skill whose files code sees, read-only. */
export interface ShownSkill {
  id: string;
  /** Real path of its folder. */
  folder: string;
  /** Folders in it, relative to it, that appear empty: no review covered their content. */
  leftOut: readonly string[];
}

/** Folders of this machine with packages that were prepared for code, each mounted under `packageFolders`. */
export type PackageFolders = Partial<Record<PackageLanguage, string>>;

/** A process ready to be started. */
export interface Launch {
  file: string;
  args: readonly string[];
  env: Record<string, string>;
  cwd: string;
  /** Written to file descriptor 3: values that must not appear in the process list. */
  privateInput?: string;
  /** Written to file descriptor 5: `systemCallFilter`. */
  filter?: Uint8Array | undefined;
}

/** The folders of a run, as its code sees them. */
export interface Places {
  /** Absent if there is no skill. */
  skill?: string | undefined;
  /** The initial working directory. */
  workspace: string;
  /** Folder for files for the person. */
  output: string;
  /** The files of the thread. */
  input?: string | undefined;
}

/**
 * Arguments as they are passed on: variables that the code has are replaced as in a shell, `{baseDir}` by the skill's folder. Unknown
 * variables stay as they are.
 */
export function placedArguments(
  args: readonly string[],
  { skill = "" }: Places,
  env: Readonly<Record<string, string>>,
): string[] {
  const replaced = (whole: string, name: string) => (Object.hasOwn(env, name) ? (env[name] ?? whole) : whole);
  return args.map((argument) =>
    argument
      .replace(/\$?\{baseDir\}/g, () => skill)
      .replace(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (whole, braced?: string, plain?: string) =>
        replaced(whole, braced ?? plain ?? ""),
      ),
  );
}

/** Folder for files for the person, within the workspace. */
export const outputFolder = "output";

/** The same for a run without a working folder. */
export function outputIn(workspace: string): string {
  return `${workspace}/${outputFolder}`;
}

/** Default variables of every script: where Python finds modules. */
export function moduleEnvironment(
  skill: string | undefined,
  folders: readonly string[],
  packages: readonly string[],
): Record<string, string> {
  const own =
    skill === undefined ? [] : folders.map((folder) => (folder === "" ? skill : `${skill}/${folder}`));
  const path = [...new Set([...own, ...packages])];
  return path.length === 0 ? {} : { PYTHONPATH: path.join(":") };
}

/** A way to isolate scripts from the bot. */
export type Isolation = {
  /** In words for a person: what it guarantees, and what it does not. */
  detail: string;
  prepare(request: LaunchRequest): Promise<Launch>;
} & ({ kind: "bubblewrap" } | WeakIsolation);

interface WeakIsolation {
  kind: "process";
  /** Why there is nothing stronger, and what to do. */
  lacks: IsolationLack;
  /** Folders searched for programs that run scripts, in this order. */
  programFolders: readonly string[];
}

/** The variables every script gets; a request cannot change them. */
export function fixedEnvironment(place: Places & { path: string; temp: string; home: string }) {
  return {
    PATH: place.path,
    HOME: place.home,
    TMPDIR: place.temp,
    LANG: "C.UTF-8",
    PYTHONUNBUFFERED: "1",
    PYTHONDONTWRITEBYTECODE: "1",
    // Python imports no module merely because it is in the working folder: another run may have left it there.
    PYTHONSAFEPATH: "1",
    KNACK_WORKSPACE: place.workspace,
    KNACK_OUTPUT_DIR: place.output,
    ...(place.skill === undefined ? {} : { KNACK_SKILL_DIR: place.skill }),
    ...(place.input === undefined ? {} : { KNACK_INPUT_DIR: place.input }),
  };
}

/** Variables by which Node's fetch, Python, curl and most others find a proxy on the loopback. */
export function proxyEnvironment(port: number): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`;
  // Some programs understand networks, some only names. No `[::1]`: httpx parses the part after its first colon as a port and fails.
  const direct = "localhost,127.0.0.1,::1,0.0.0.0,127.0.0.0/8,sandbox";
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    NO_PROXY: direct,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: "1",
  };
}
