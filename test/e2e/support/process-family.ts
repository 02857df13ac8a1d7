import { readdir, readFile } from "node:fs/promises";

/** A process of Linux; its id alone may be given to another one. */
interface Process {
  id: number;
  parent: number;
  /** When it began, in ticks since the machine started (proc_pid_stat(5), field 22). */
  began: string;
  command: string;
}

/** Everything a process has started, what that started, and so on; itself included. */
export async function familyOf(id: number): Promise<Process[]> {
  const all = await processes();
  const family = all.filter((each) => each.id === id);
  for (const member of family) family.push(...all.filter(({ parent }) => parent === member.id));
  return family;
}

/** The command lines of those that are still there. */
export async function stillThere(family: readonly Process[]): Promise<string[]> {
  const all = await processes();
  const isThere = ({ id, began }: Process) => all.some((each) => each.id === id && each.began === began);
  return family.filter(isThere).map(({ command }) => command);
}

/** All processes but those that ended and were not collected yet. */
async function processes(): Promise<Process[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const read = async (id: string): Promise<Process[]> => {
    const [stat, command] = await Promise.all(
      ["stat", "cmdline"].map((name) => readFile(`/proc/${id}/${name}`, "utf8").catch(() => "")),
    );
    // The name in brackets may hold anything.
    const [state = "Z", parent = "", ...rest] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
    if (stat === "" || state === "Z" || state === "X") return [];
    const text = command?.replaceAll("\0", " ").trim() ?? "";
    return [{ id: Number(id), parent: Number(parent), began: rest[17] ?? "", command: text }];
  };
  return (await Promise.all(ids.map(read))).flat();
}
