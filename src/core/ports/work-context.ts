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

/** The files of the thread, for skills to read. Skills write through `ToolContext.file` and `inFolder`. */
export interface ThreadFiles {
  list(): Promise<readonly WorkingFile[]>;
  /**
   * The content of a file: text, table, document or picture. `path` is a path in the working folder, or only the name of a file.
   * @throws SkillFailure `no_such_file` with the nearest names, `not_readable`
   */
  content(path: string): Promise<Exclude<ReadContent, { kind: "unreadable" }> & { path: string }>;
  /** Its bytes. @throws SkillFailure `no_such_file`, `file_too_large` */
  bytes(path: string): Promise<{ path: string; data: Uint8Array }>;
}

/** Code run for a skill in the same way as the agent's own code: in the sandbox, on the working folder of the thread. */
export interface CodeWork {
  /** The environment of the code. */
  means: CodeMeans;
  /**
   * Runs a whole program. The person gets the files it leaves in its output folder (`KNACK_OUTPUT_DIR`). `notes` list these files, one line
   * each. If the code can reach hosts and the agent has read untrusted text, a person is asked first.
   */
  run(program: {
    language: CodeLanguage;
    code: string;
    /** The rest of the call's text: the code also sees the files that it names. */
    about?: string;
    timeout_ms?: number;
  }): Promise<{ outcome: ScriptOutcome; notes: readonly string[] }>;
}

/** The channel's knowledge from documents. */
export interface ChannelKnowledge {
  add(document: { title: string; source: string }, pieces: readonly KnownPiece[]): Promise<KnownDocument>;
  list(): Promise<readonly KnownDocument[]>;
  remove(ids: readonly number[]): Promise<readonly KnownDocument[]>;
  search(words: string, most: number): Promise<readonly FoundPiece[]>;
}

/** Services for the shipped skills, in addition to the web and the chat. Costs are counted, and limited by the budget of the channel. */
export interface WorkContext {
  threadFiles: ThreadFiles;
  /** Searches with every available engine, including the model provider's own. @throws SkillFailure if none answers */
  searchWeb(query: WebQuery): Promise<WebFindings>;
  /** @throws SkillFailure with the reason for people */
  makeImages(wanted: WantedImage): Promise<MadeImages>;
  drawChart(chart: WantedChart): Promise<Drawn>;
  /** As `Charts.picture`. */
  drawSvg(svg: string, width?: number): Promise<Drawn>;
  /** Undefined where no code can run. */
  code: CodeWork | undefined;
  /** Vectors of texts; undefined if none are available. */
  embed(texts: readonly string[]): Promise<Embeddings | undefined>;
  /** Undefined where no documents are stored. */
  knowledge: ChannelKnowledge | undefined;
  /** Earlier conversations of this channel with the bot, in other threads. */
  searchPast(words: string, most: number): Promise<FoundExchanges>;
}

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

/** Searches the finished turns of a namespace. */
export interface PastConversations {
  search(
    namespace: string,
    query: { words: string; most: number; except_thread?: string | undefined },
    signal: AbortSignal,
  ): Promise<FoundExchanges>;
}
