import { readFileSync } from "node:fs";

/** Whether a process runs (Linux). One that has ended and that nobody has asked for yet does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
