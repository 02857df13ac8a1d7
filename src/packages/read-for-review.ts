import { lstat, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { PackageFinding } from "../core/skill/packages.ts";
import type { PackageLimits } from "./package-limits.ts";
import { packagePath } from "./package-path.ts";
import { PackageRefusal } from "./package-refusal.ts";
import type { PackageFile } from "./package-tree.ts";
import { readOneFile } from "./read-folder.ts";

interface Reading {
  files: PackageFile[];
  findings: PackageFinding[];
  bytes: number;
}

/** What can be read of a folder or file, and findings on what was left out: links, special files, what is over the limits. */
export async function readForReview(
  path: string,
  limits: PackageLimits,
  signal: AbortSignal,
): Promise<Pick<Reading, "files" | "findings">> {
  const reading: Reading = { files: [], findings: [], bytes: 0 };
  const waiting: Waiting[] = [{ absolute: path, name: "" }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    signal.throwIfAborted();
    const { absolute, name } = next;
    const found = await lstat(absolute);
    if (found.isDirectory()) waiting.push(...(await below(absolute, name)));
    else if (found.isFile()) await take(reading, absolute, name || basename(path), found, limits);
    else
      leaveOut(reading, name, found.isSymbolicLink() ? "a link" : "a device, a pipe or another special file");
  }
  return reading;
}

interface Waiting {
  absolute: string;
  /** Relative to the skill's folder; empty for itself. */
  name: string;
}

/** What a folder holds, last first. */
async function below(folder: string, prefix: string): Promise<Waiting[]> {
  const names = (await readdir(folder))
    .filter((name) => name !== ".git")
    .toSorted()
    .toReversed();
  return names.map((name) => ({
    absolute: join(folder, name),
    name: prefix === "" ? name : `${prefix}/${name}`,
  }));
}

async function take(
  reading: Reading,
  absolute: string,
  path: string,
  { size, mode }: { size: number; mode: number },
  limits: PackageLimits,
): Promise<void> {
  const isOver = reading.files.length >= limits.files || reading.bytes + size > limits.unpacked_bytes;
  if (isOver) {
    const message = `There is more in it than ${limits.files} files or ${limits.unpacked_bytes / 1_000_000} MB; the rest was not reviewed.`;
    if (reading.findings.every(({ code }) => code !== "partly_reviewed")) {
      reading.findings.push({ severity: "warning", code: "partly_reviewed", message });
    }
    return;
  }
  const odd = oddName(path, limits);
  if (odd !== undefined) reading.findings.push(odd);
  const data = await readOneFile(absolute, limits.unpacked_bytes);
  reading.bytes += data.length;
  reading.files.push({ path, data, executable: (mode & 0o111) !== 0 });
}

/** A name that no package may have. */
function oddName(path: string, limits: PackageLimits): PackageFinding | undefined {
  try {
    packagePath(path, limits);
    return undefined;
  } catch (error) {
    if (!(error instanceof PackageRefusal)) throw error;
    const message =
      "Its name would keep it out of a package: it is read differently by other systems or by people.";
    return { severity: "warning", code: error.code, message, path };
  }
}

function leaveOut(reading: Reading, path: string, what: string): void {
  const message = `It is ${what}, and was not reviewed.`;
  reading.findings.push({ severity: "warning", code: "not_reviewed", message, path });
}
