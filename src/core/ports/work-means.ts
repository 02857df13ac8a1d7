import type { Redactor } from "../values/redact.ts";
import {
  type Charts,
  type Embedder,
  type ImageMaker,
  type Knowledge,
  noCharts,
  noEmbedder,
  noImageMaker,
} from "./services.ts";
import { noWebSearch, type WebSearch } from "./web.ts";

/** The services behind `WorkContext`. Each gives a reason if it is not set up. */
export interface WorkMeans {
  search: WebSearch;
  images: ImageMaker;
  charts: Charts;
  embedder: Embedder;
  /** Undefined where no documents are stored. */
  knowledge: Knowledge | undefined;
}

/** The services of a bot in which none is set up. */
export const noMeans: WorkMeans = {
  search: noWebSearch("No search engine is set up here."),
  images: noImageMaker("No service that makes pictures is set up here."),
  charts: noCharts,
  embedder: noEmbedder,
  knowledge: undefined,
};

/** Code in the sandbox: its environment, and how a run ends. */

/** Languages that a model may write code in. */
export const codeLanguages = ["python", "javascript", "bash"] as const;
export type CodeLanguage = (typeof codeLanguages)[number];

/** The environment of a model's code. */
export interface CodeMeans {
  /** Languages whose interpreters are installed. */
  languages: readonly CodeLanguage[];
  /** Prepared packages, by language: `numpy 2.3.1`. */
  packages: Readonly<Partial<Record<CodeLanguage, readonly string[]>>>;
  /** Python packages of the machine that models would not expect. */
  of_machine?: readonly string[];
  /** Hosts that the code may reach. */
  hosts: readonly string[];
  /** Maximum run time, ms. */
  max_ms: number;
}

/** How a run of code ended. */
export type ScriptOutcome =
  | {
      status: "exited";
      exit_code: number;
      stdout: string;
      stderr: string;
      truncated: boolean;
    }
  | { status: "timed_out"; stdout: string; stderr: string }
  | { status: "refused"; reason: string };

/** The outcome without secrets. Where the output is cut, a possible beginning of a secret at the cut is removed too. */
export function redactOutcome(outcome: ScriptOutcome, redact: Redactor): ScriptOutcome {
  if (outcome.status === "refused") return redact(outcome);
  const isCut = outcome.status === "timed_out" || outcome.truncated;
  const clean = (text: string) => (isCut ? redact.stream().add(text) : redact(text));
  return { ...outcome, stdout: clean(outcome.stdout), stderr: clean(outcome.stderr) };
}

/** Earlier conversations of a channel with the bot. */

/** A turn of such a conversation, as a search result. */
export interface PastExchange {
  turn_id: string;
  thread: string;
  /** Name of the person who asked. */
  by: string;
  question: string;
  answer: string;
  /** Time of the question, ms since the epoch. */
  at: number;
  /** Its address for people; absent if the platform has no links. */
  link?: string | undefined;
}

export interface FoundExchanges {
  /** Best first. */
  exchanges: readonly PastExchange[];
  /** Number of turns searched, and if older ones were left out, the start of the searched period, ms since the epoch. */
  looked_at: number;
  since?: number | undefined;
}
