import type { Drawn, WantedChart } from "./charts.ts";
import type { CodeLanguage, CodeMeans, ScriptOutcome } from "./code.ts";
import type { Embeddings } from "./embedder.ts";
import type { MadeImages, WantedImage } from "./image-maker.ts";
import type { FoundPiece, KnownDocument, KnownPiece } from "./knowledge.ts";
import type { FoundExchanges } from "./past-conversations.ts";
import type { ReadContent } from "./read-file-content.ts";
import type { WebFindings, WebQuery } from "./web-search.ts";
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
