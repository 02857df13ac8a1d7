/**
 * The working folder of a thread: attached files, and the files that tools, skills and code created. It lives as long as the thread and
 * cannot be reached from another one.
 */
import { ExpectedFailure } from "../values/failure.ts";
import type { Place } from "../values/place.ts";
import type { NewFile } from "./storage.ts";

/** The root of all its paths, for models, people and code alike. */
export const folderRoot = "/workspace";
/** Files that people attached. Only the bot writes there. */
export const inputFolder = `${folderRoot}/input`;
/** Where the agent's code leaves files for the person. */
export const outputFolder = `${folderRoot}/output`;

/**
 * The folder of a skill in the folder of a thread. A guide's files are shown there, read-only. The handler of a package works there, and
 * nothing else writes there; files in its subfolder `output` go to the person.
 */
export function skillFolder(skillId: string): string {
  return `${folderRoot}/skills/${skillId.replace(/[^A-Za-z0-9._-]/g, "_")}`;
}

export interface WorkingFile {
  /** `/workspace/input/orders.csv`. */
  path: string;
  bytes: number;
  /** ms since the epoch. */
  changed_at: number;
  /** Name of the person who attached it; absent for files created here. */
  by?: string | undefined;
}

/** A regular file, open for reading. It stays readable if it is deleted in the meantime. */
export interface OpenedFile extends WorkingFile {
  /** A file descriptor of this process, closed by `close`. */
  descriptor: number;
  /** At most `length` bytes from an offset; fewer at the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/**
 * The writer. `agent`: the agent's own code, and scripts and command lines of guides, may write everywhere except in `input` and `skills`;
 * `skill`: the handler of a package, only in its folder.
 */
export type FolderWriter = { kind: "agent" } | { kind: "skill"; id: string };

/** A run of code in the folder. */
export interface FolderUse {
  writer: FolderWriter;
  turn_id: string;
  call_id: string;
  /**
   * The whole text of the call. If it names files of others, a skill sees them too, and the files it creates count as derived from them.
   */
  text: string;
  /** Concurrent calls that one process serves share their writes; all changes are attributed to the call that ends first. */
  shared?: true;
}

interface FolderMount {
  from: string;
  to: string;
  writable: boolean;
  /** Version of a copy; differs if the copy is of other content. */
  version?: string | undefined;
}

/** The folder as mounted in the sandbox for one run. */
export interface MountedFolder {
  /** Folders and files of this machine, and where code sees them. Nested ones come later. */
  mounts: readonly FolderMount[];
  /** Working directory of the run, within a writable mount. */
  working: string;
  /** Where the run leaves files for the person; it exists. */
  output: string;
  /** Bytes that may still be written; negative if others filled the folder. */
  room: number;
  /**
   * Why the run has to end, in words for a model; undefined while it may continue. Checks everything written so far.
   * @param deleted bytes that the run holds in files without a name
   */
  exceeded(deleted?: number): Promise<string | undefined>;
}

export interface FileChange {
  path: string;
  bytes: number;
  change: "made" | "changed" | "removed";
}

/** The content of a folder. */
export interface FolderListing {
  /** By path; at most `folderLimits.files`, without hidden files. */
  files: readonly WorkingFile[];
  /** Size of all files, including hidden ones. */
  bytes: number;
  /** The quota. */
  most_bytes: number;
}

/** Maximum files and folders of one working folder. */
export const folderLimits = { files: 10_000 };

/** Files to delete with deleted turns, in addition to their attachments. */
export interface ForgetFiles {
  /** Everything that only calls of these turns created or changed, not just the files that the person got. */
  made?: true;
  /** Files by path, whatever turn they came with. */
  paths?: readonly string[];
}

/** The effect of deleting turns on their files. */
export interface ForgottenFiles {
  /** Attachments of these turns that were removed. */
  removed: readonly string[];
  /**
   * Remaining files that code derived from removed ones, as far as its calls named them; with `made` also files that calls of other turns
   * changed.
   */
  made_from_them: readonly string[];
}

/** The folder is full or cannot be used. The message is for people and models. */
export class WorkingFolderError extends ExpectedFailure<"folder_full" | "folder_gone" | "not_readable"> {}

export interface WorkingFolder {
  /**
   * Stores a file of a person under `/workspace/input`, under a safe and unused name. The same file under the same name is stored once.
   * @throws WorkingFolderError `folder_full`
   */
  attach(file: NewFile, from: { turn_id: string; by?: string | undefined }): Promise<WorkingFile>;
  list(): Promise<FolderListing>;
  /** Undefined if there is no such regular file; links do not count. The path may also be relative to `/workspace`. */
  open(path: string): Promise<OpenedFile | undefined>;
  /**
   * Runs code on the folder, when nobody else writes to the same part, unless they share it. Returns its changes, including those of a run
   * that failed or was killed. @throws the errors of `work`
   */
  use<T>(
    how: FolderUse,
    work: (mounted: MountedFolder) => Promise<T>,
    signal: AbortSignal,
  ): Promise<{ value: T; changed: readonly FileChange[] }>;
  /**
   * Writes a file to the output folder of a writer, like a run that leaves it there; replaces a file of that name. The name is made safe.
   * @throws WorkingFolderError `folder_full`
   */
  write(
    file: Pick<NewFile, "name" | "data">,
    how: Omit<FolderUse, "shared">,
    signal: AbortSignal,
  ): Promise<readonly FileChange[]>;
  /** Changes of a run that were not reported, because it failed or a crash came first. Excludes changes of other runs. */
  interrupted(callId: string): Promise<readonly FileChange[]>;
  /** Marks these files as handed over. Returns those that the person did not have yet with their current content. */
  handOver(paths: readonly string[]): Promise<readonly string[]>;
  /** Removes one file, or a link. False if there is none. */
  remove(path: string): Promise<boolean>;
  /**
   * Removes files that were attached only with these turns, files in their answers that no other turn changed, and the records of their
   * runs. None of these turns may be running.
   */
  forget(turnIds: readonly string[], what?: ForgetFiles): Promise<ForgottenFiles>;
  /** Removes everything. Code that is running continues, but its files are removed with the folder. */
  clear(): Promise<void>;
}

/** The working folders of all threads. */
export interface WorkingFolders {
  of(place: Place): WorkingFolder;
  /** All existing folders, in no order, with the time of the last write or run there, ms since the epoch. */
  all(): AsyncIterable<{ place: Place; changed_at: number }>;
}
