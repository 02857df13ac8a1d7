/**
 * The working folder of a thread: the files people attached, and what tools, skills and code left. It lives as long as the thread, and
 * nobody reaches it from another one.
 */
import { ExpectedFailure } from "../values/failure.ts";
import type { Place } from "../values/place.ts";
import type { NewFile } from "./storage.ts";

/** What all its paths begin with, for models, people and code alike. */
export const folderRoot = "/workspace";
/** Where the files of people are. Nobody writes there but the bot. */
export const inputFolder = `${folderRoot}/input`;
/** Where code of the agent leaves what the person gets. */
export const outputFolder = `${folderRoot}/output`;

/** Where a skill works: it alone writes there. What it leaves in `output` below it the person gets. */
export function skillFolder(skillId: string): string {
  return `${folderRoot}/skills/${skillId.replace(/[^A-Za-z0-9._-]/g, "_")}`;
}

export interface WorkingFile {
  /** `/workspace/input/orders.csv`. */
  path: string;
  bytes: number;
  /** ms since the epoch. */
  changed_at: number;
  /** The name of who attached it; absent for what was made here. */
  by?: string | undefined;
}

/** A regular file, open for reading. It stays readable when it is deleted meanwhile. */
export interface OpenedFile extends WorkingFile {
  /** A file descriptor of this process, closed by `close`. */
  descriptor: number;
  /** The bytes from an offset on, at most `length`; fewer at the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Who writes: the agent's own code everywhere but in `input` and `skills`, a skill in its folder alone. */
export type FolderWriter = { kind: "agent" } | { kind: "skill"; id: string };

/** A run of code in the folder. */
export interface FolderUse {
  writer: FolderWriter;
  turn_id: string;
  call_id: string;
  /** All that the call says: of files it names, a skill sees those of others too, and what it makes counts as made from them. */
  text: string;
  /** Calls that one process serves at once share what they write; what changed counts as the doing of the one that ends first. */
  shared?: true;
}

interface FolderMount {
  from: string;
  to: string;
  writable: boolean;
  /** Of a copy: differs when it is one of something else. */
  version?: string | undefined;
}

/** The folder as a sandbox shows it to one run. */
export interface MountedFolder {
  /** Folders and files of this machine, and where code sees them. Those within others come later. */
  mounts: readonly FolderMount[];
  /** Where it begins: within a mount that it may write to. */
  working: string;
  /** Where it leaves files for the person; it is there. */
  output: string;
  /** Bytes that may still be written; less than nothing where others filled the folder. */
  room: number;
  /**
   * Why it may not go on, in words for a model; undefined while it may. Looks at what was written so far.
   * @param deleted bytes that the run holds in files without a name
   */
  exceeded(deleted?: number): Promise<string | undefined>;
}

export interface FileChange {
  path: string;
  bytes: number;
  change: "made" | "changed" | "removed";
}

/** What a folder has. */
export interface FolderListing {
  /** By path; at most `folderLimits.files`. Hidden files are not among them. */
  files: readonly WorkingFile[];
  /** Of all files together, hidden ones included. */
  bytes: number;
  /** The quota. */
  most_bytes: number;
}

/** Files and folders of one working folder. */
export const folderLimits = { files: 10_000 };

/** What goes with turns that are deleted, beside what was attached with them. */
export interface ForgetFiles {
  /** Everything that only their calls made or changed, not just what the person got. */
  made?: true;
  /** Files by their path, with whatever turn they came. */
  paths?: readonly string[];
  /** The sha256, in hex, of files of their answers: earlier versions did not note which call made a file. */
  given?: ReadonlySet<string>;
}

/** What became of files whose turns were deleted. */
export interface ForgottenFiles {
  /** What was attached with them, and is gone. */
  removed: readonly string[];
  /**
   * Files that code made of what is gone, as far as its calls named it, and that are still there; with `made` also those that calls of other
   * turns changed.
   */
  made_from_them: readonly string[];
}

/** The folder has no room for it, or it cannot be used. The message is for people and models. */
export class WorkingFolderError extends ExpectedFailure<"folder_full" | "folder_gone" | "not_readable"> {}

export interface WorkingFolder {
  /**
   * Keeps a file of a person under `/workspace/input`, under a safe name that is free there. The same file under the same name is kept
   * once. @throws WorkingFolderError `folder_full`
   */
  attach(file: NewFile, from: { turn_id: string; by?: string | undefined }): Promise<WorkingFile>;
  list(): Promise<FolderListing>;
  /** Undefined when there is no such regular file; links are none. The path may also be relative to `/workspace`. */
  open(path: string): Promise<OpenedFile | undefined>;
  /**
   * Runs code on the folder, when nobody else who writes to the same part does, unless they share it. Answers what it changed, also when it failed or was
   * killed. @throws what `work` throws
   */
  use<T>(
    how: FolderUse,
    work: (mounted: MountedFolder) => Promise<T>,
    signal: AbortSignal,
  ): Promise<{ value: T; changed: readonly FileChange[] }>;
  /**
   * Writes a file into the output folder of a writer, as a run that leaves it there; one of that name is replaced. The name is made safe.
   * @throws WorkingFolderError `folder_full`
   */
  write(
    file: Pick<NewFile, "name" | "data">,
    how: Omit<FolderUse, "shared">,
    signal: AbortSignal,
  ): Promise<readonly FileChange[]>;
  /** What a run has changed that has not been told: a crash ended it, or came before it was told; or it failed. Nothing of any other. */
  interrupted(callId: string): Promise<readonly FileChange[]>;
  /**
   * Which of these files the person has not got as they are now, and from now on has: by their content.
   */
  handOver(paths: readonly string[]): Promise<readonly string[]>;
  /** Removes one file, or a link. False when there is none. */
  remove(path: string): Promise<boolean>;
  /**
   * Removes what was attached with these turns and with no other, what the person got with their answers and no other turn changed, and
   * what the bot noted of their runs. None of them runs any more.
   */
  forget(turnIds: readonly string[], what?: ForgetFiles): Promise<ForgottenFiles>;
  /** Removes all of it. Code that runs in it goes on, and what it leaves is gone with it. */
  clear(): Promise<void>;
}

/** The working folders of all threads. */
export interface WorkingFolders {
  of(place: Place): WorkingFolder;
  /** Those there are, in no order, and when something was last stored or run there, ms since the epoch. */
  all(): AsyncIterable<{ place: Place; changed_at: number }>;
}
