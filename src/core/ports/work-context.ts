import type { Redactor } from "../values/redact.ts";
import type { ReadContent } from "./documents.ts";
import {
  type Charts,
  type Drawn,
  type Embedder,
  type Embeddings,
  type FoundPiece,
  type ImageMaker,
  type Knowledge,
  type KnownDocument,
  type KnownPiece,
  type MadeImages,
  noCharts,
  noEmbedder,
  noImageMaker,
  type WantedChart,
  type WantedImage,
} from "./services.ts";
import { noWebSearch, type WebFindings, type WebQuery, type WebSearch } from "./web.ts";
import type { WorkingFile } from "./working-folder.ts";

/** The files of the thread, for skills to read. What they write goes through `ToolContext.file` and `inFolder`. */
export interface ThreadFiles {
  list(): Promise<readonly WorkingFile[]>;
  /**
   * What a file says: text, table, document or picture. A path in the working folder, or the name of a file alone.
   * @throws SkillFailure `no_such_file` with the nearest names, `not_readable`
   */
  content(path: string): Promise<Exclude<ReadContent, { kind: "unreadable" }> & { path: string }>;
  /** Its bytes. @throws SkillFailure `no_such_file`, `file_too_large` */
  bytes(path: string): Promise<{ path: string; data: Uint8Array }>;
}

/** Code that a skill has run as the agent's own code is: in the sandbox, on the working folder of the thread. */
export interface CodeWork {
  /** What it finds there. */
  means: CodeMeans;
  /**
   * Runs a whole program. What it leaves in its output folder (`KNACK_OUTPUT_DIR`) the person gets. `notes` tell of the files it left, a
   * line each. Code that can reach hosts asks first where the agent has read untrusted text.
   */
  run(program: {
    language: CodeLanguage;
    code: string;
    /** All that the call says, beside the code: files it names are shown to the code too. */
    about?: string;
    timeout_ms?: number;
  }): Promise<{ outcome: ScriptOutcome; notes: readonly string[] }>;
}

/** What this channel knows from documents. */
export interface ChannelKnowledge {
  add(document: { title: string; source: string }, pieces: readonly KnownPiece[]): Promise<KnownDocument>;
  list(): Promise<readonly KnownDocument[]>;
  remove(ids: readonly number[]): Promise<readonly KnownDocument[]>;
  search(words: string, most: number): Promise<readonly FoundPiece[]>;
}

/** What the skills that ship work with, beside the web and the chat. Costs are counted, and bounded by the budget of the channel. */
export interface WorkContext {
  threadFiles: ThreadFiles;
  /** Searches with every engine there is, the model provider's own included. @throws SkillFailure where none answers */
  searchWeb(query: WebQuery): Promise<WebFindings>;
  /** @throws SkillFailure with the reason for people */
  makeImages(wanted: WantedImage): Promise<MadeImages>;
  drawChart(chart: WantedChart): Promise<Drawn>;
  /** As `Charts.picture`. */
  drawSvg(svg: string, width?: number): Promise<Drawn>;
  /** Undefined where no code can run. */
  code: CodeWork | undefined;
  /** Vectors of texts; undefined where none can be had. */
  embed(texts: readonly string[]): Promise<Embeddings | undefined>;
  /** Undefined where nothing is kept. */
  knowledge: ChannelKnowledge | undefined;
  /** Earlier conversations of this channel with the bot, other threads than this one. */
  searchPast(words: string, most: number): Promise<FoundExchanges>;
}

/** What the skills that ship do their work with, beside the web, the files and the chat. Each says why where it is not set up. */
export interface WorkMeans {
  search: WebSearch;
  images: ImageMaker;
  charts: Charts;
  embedder: Embedder;
  /** Undefined where nothing is kept. */
  knowledge: Knowledge | undefined;
}

/** A bot without any of it. */
export const noMeans: WorkMeans = {
  search: noWebSearch("No search engine is set up here."),
  images: noImageMaker("No service that makes pictures is set up here."),
  charts: noCharts,
  embedder: noEmbedder,
  knowledge: undefined,
};

/** Code that runs in the sandbox: what a model may write, and how a run ends. */

/** Languages that a model's code may be written in. */
export const codeLanguages = ["python", "javascript", "bash"] as const;
export type CodeLanguage = (typeof codeLanguages)[number];

/** What code of a model finds here. */
export interface CodeMeans {
  /** Those whose programs are there. */
  languages: readonly CodeLanguage[];
  /** Prepared packages, by language: `numpy 2.3.1`. */
  packages: Readonly<Partial<Record<CodeLanguage, readonly string[]>>>;
  /** Packages for Python that the machine has anyway: those that models would not count on without being told. */
  of_machine?: readonly string[];
  /** Hosts that it may reach. */
  hosts: readonly string[];
  /** How long it may run, ms. */
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

/** The outcome without secrets, and without the beginning of one where what was printed is cut. */
export function redactOutcome(outcome: ScriptOutcome, redact: Redactor): ScriptOutcome {
  if (outcome.status === "refused") return redact(outcome);
  const isCut = outcome.status === "timed_out" || outcome.truncated;
  const clean = (text: string) => (isCut ? redact.stream().add(text) : redact(text));
  return { ...outcome, stdout: clean(outcome.stdout), stderr: clean(outcome.stderr) };
}

/** Conversations that this channel had with the bot. */

/** A turn of one, as a search finds it. */
export interface PastExchange {
  turn_id: string;
  thread: string;
  /** Who asked: their name. */
  by: string;
  question: string;
  answer: string;
  /** When it was said, ms since the epoch. */
  at: number;
  /** Where people find it; absent where the platform has no links. */
  link?: string | undefined;
}

export interface FoundExchanges {
  /** The best first. */
  exchanges: readonly PastExchange[];
  /** How many turns were looked at, and since when, ms since the epoch, where older ones were left out. */
  looked_at: number;
  since?: number | undefined;
}

/** Searches the finished turns of a namespace. */
export interface PastConversations {
  search(
    namespace: string,
    query: { words: string; most: number; except_thread?: string | undefined },
    signal: AbortSignal,
  ): Promise<FoundExchanges>;
}
