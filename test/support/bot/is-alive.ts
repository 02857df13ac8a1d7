import { readFileSync } from "node:fs";

/** Whether a process is running (Linux). A zombie is not. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
