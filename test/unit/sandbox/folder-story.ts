import type { CodeLanguage } from "../../../src/core/ports/work-means.ts";

/** A step of a story in the working folder of one thread. `ROOT` in code is a folder of the machine that code must not reach. */
export type FolderStep =
  | { do: "attach"; name: string; text: string }
  | { do: "code"; language: CodeLanguage; code: string; timeout_ms?: number }
  /** `own`: in a part of the folder of its own, as handlers of packages work. */
  | { do: "script"; id: string; name: string; text: string; args?: string[]; own?: true }
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

/** What came of each step of a story. */
export interface Told {
  isolation: string;
  answers: Answer[];
}

export const bash = (code: string): FolderStep => ({ do: "code", language: "bash", code });
export const python = (code: string): FolderStep => ({ do: "code", language: "python", code });

/** The output of a run, or the whole answer where it was none. */
export function output(answer: Answer | undefined): string {
  return answer !== null && typeof answer === "object" && "output" in answer
    ? answer.output.trim()
    : JSON.stringify(answer);
}
