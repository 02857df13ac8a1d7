import { formatBytes } from "../../base/amounts.ts";

/** Limits of the server: files per message, bytes of one file and of all files. */
const limits = { files: 20, bytes: 50_000_000, together: 100_000_000 };

/** The files that fit in addition to those before, and the reason if some do not. */
export function chooseFiles(
  before: readonly File[],
  chosen: readonly File[],
): { taken: File[]; problem: string | undefined } {
  const taken: File[] = [];
  let problem: string | undefined;
  let bytes = before.reduce((sum, { size }) => sum + size, 0);
  for (const file of chosen) {
    const refused = refusal(file, before.length + taken.length, bytes);
    problem ??= refused;
    if (refused !== undefined) continue;
    taken.push(file);
    bytes += file.size;
  }
  return { taken, problem };
}

function refusal({ name, size }: File, count: number, bytes: number): string | undefined {
  if (size > limits.bytes)
    return `${name} has ${formatBytes(size)} and was not attached; the limit is ${formatBytes(limits.bytes)}.`;
  if (count >= limits.files) return `A message may have ${limits.files} files.`;
  if (bytes + size > limits.together)
    return `The files of a message may have ${formatBytes(limits.together)} together.`;
  return undefined;
}

/** Files of a paste or a drop, without folders. */
export function filesIn(transfer: DataTransfer | null): File[] {
  const items = [...(transfer?.items ?? [])].filter(({ kind }) => kind === "file");
  return items.flatMap((item) => {
    const isFolder = item.webkitGetAsEntry?.()?.isDirectory === true;
    const file = isFolder ? null : item.getAsFile();
    return file === null ? [] : [file];
  });
}
