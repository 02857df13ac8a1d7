import { folderLimits, WorkingFolderError } from "../../core/ports/working-folder.ts";
import { formatBytes } from "../../core/values/shown.ts";
import { type ForeignFiles, maxFolderDepth } from "./foreign-files.ts";

export function full(used: number, most: number): WorkingFolderError {
  const message = `The folder of this thread is full: ${formatBytes(used)} of ${formatBytes(most)} are used. What is there is kept.`;
  const hint = "Remove files that are not needed any more, or an operator raises files.thread_megabytes.";
  return new WorkingFolderError("folder_full", `${message} ${hint}`);
}

export function tooManyFiles(): WorkingFolderError {
  const most = folderLimits.files.toLocaleString("en");
  const message = `The folder of this thread has more than ${most} files and folders, as many as it may have. What is there is kept: remove some, or pack them into one.`;
  return new WorkingFolderError("folder_full", message);
}

/** Why a part of a folder exceeds its limits, apart from the size of its files; undefined if it does not. */
export function excessIn(
  { entries, cut }: ForeignFiles,
  maxEntries = folderLimits.files,
): string | undefined {
  if (entries > maxEntries || cut === "entries") return tooManyFiles().message;
  if (cut === undefined) return undefined;
  return `The folder of this thread has folders that lie more than ${maxFolderDepth} deep. What is there is kept: move or remove them.`;
}
