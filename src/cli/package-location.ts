import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { ApiError } from "../client/api-error.ts";
import type { PackageLocation } from "../client/shapes.ts";
import { CommandError } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";

/**
 * Does something with the package a person named: an address, or a folder or archive of this machine. A bot that does not take
 * paths, or does not see this one (it runs in a container), gets the archive itself.
 * @throws CommandError when there is no such file, or a folder would have to be sent
 */
export async function withPackage<T>(
  source: string,
  cwd: string,
  work: (location: PackageLocation) => Promise<T>,
): Promise<T> {
  if (/^[a-z+]+:\/\//i.test(source)) return work({ url: source });
  const file = path.resolve(cwd, source);
  const isFolder = await isFolderOr(file, source);
  try {
    return await work({ path: file });
  } catch (error) {
    if (!(error instanceof ApiError) || !needsTheArchive.includes(error.code)) throw error;
    if (isFolder) {
      const advice = "Pack the folder (`tar -czf skill.tar.gz FOLDER`) and install the archive.";
      throw new CommandError(`${error.detail} ${advice}`, exitCode.failed, { cause: error });
    }
    return work({ file: new File([await openAsBlob(file)], path.basename(file)) });
  }
}

/** Codes of a bot that takes no paths, or does not see this one. */
const needsTheArchive = ["path_refused", "unreadable"];

async function isFolderOr(file: string, source: string): Promise<boolean> {
  try {
    return (await stat(file)).isDirectory();
  } catch (cause) {
    const message = `${source} is neither a folder, an archive nor an address. Give a folder with a skill, a .zip, a .tar.gz, or https://…`;
    throw new CommandError(message, exitCode.failed, { cause });
  }
}
