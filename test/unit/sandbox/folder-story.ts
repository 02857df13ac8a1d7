import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { CodeLanguage } from "../../../src/core/ports/work-context.ts";
import { type BotUser, startedAs } from "./bot-as-user.ts";

/** A step of a story in the working folder of one thread. `ROOT` in code is a folder of the machine that code must not reach. */
export type FolderStep =
  | { do: "attach"; name: string; text: string }
  | { do: "code"; language: CodeLanguage; code: string; timeout_ms?: number }
  | { do: "script"; id: string; name: string; text: string; args?: string[] }
  | { do: "list" }
  | { do: "read"; path: string }
  | { do: "hand over"; paths: string[] }
  /** Whether files of this name belong to root. */
  | { do: "owners"; name: string }
  /** Opens a path and lists, again and again, while the code runs. */
  | { do: "race"; code: string; path: string }
  | { do: "clear" };

export interface Ran {
  status: string;
  output: string;
  changed: string[];
}

export type Answer =
  | Ran
  | string
  | number
  | null
  | string[]
  | boolean[]
  | { paths: string[]; count: number; bytes: number };

export const bash = (code: string): FolderStep => ({ do: "code", language: "bash", code });
export const python = (code: string): FolderStep => ({ do: "code", language: "python", code });

/** What came of each step, in a bot of this user. */
export async function story(user: BotUser, ...steps: FolderStep[]): Promise<Answer[]> {
  const entry = join(import.meta.dirname, "folder-process.ts");
  const [file = "", ...args] = [...startedAs(user), process.execPath, entry, JSON.stringify(steps)];
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
  const [said, complaints] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  if (said === "") throw new Error(complaints);
  const { isolation, answers } = JSON.parse(said);
  if (isolation !== "bubblewrap") throw new Error(`it ran in ${isolation}`);
  return answers;
}

/** The output of a run, or the whole answer where it was none. */
export function output(answer: Answer | undefined): string {
  return answer !== null && typeof answer === "object" && "output" in answer
    ? answer.output.trim()
    : JSON.stringify(answer);
}
