import type { DrawnChart, WantedChart } from "./charts.ts";
import { SkillFailure } from "./define-skill.ts";
import type { Embeddings } from "./embedder.ts";
import type { MadeImages, WantedImage } from "./image-maker.ts";
import type { FoundPiece, KnownDocument, KnownPiece } from "./knowledge.ts";
import type { FoundExchanges } from "./past-conversations.ts";
import type { CodeLanguage, CodeMeans, ScriptOutcome } from "./scripts.ts";
import { createThreadFiles, type ThreadFiles } from "./thread-files.ts";
import type { ToolContext } from "./tool.ts";
import type { Usage } from "./turn-event.ts";
import type { TurnScope } from "./turn-scope.ts";
import { untrustedIn } from "./untrusted.ts";
import type { WebFindings, WebQuery } from "./web-search.ts";

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
  drawChart(chart: WantedChart): Promise<DrawnChart>;
  /** Undefined where no code can run. */
  code: CodeWork | undefined;
  /** Vectors of texts; undefined where none can be had. */
  embed(texts: readonly string[]): Promise<Embeddings | undefined>;
  /** Undefined where nothing is kept. */
  knowledge: ChannelKnowledge | undefined;
  /** Earlier conversations of this channel with the bot, other threads than this one. */
  searchPast(words: string, most: number): Promise<FoundExchanges>;
}

/** What of a tool's context the work needs beside the scope. */
type Own = Pick<ToolContext, "inFolder" | "approve" | "now">;

export function createWorkContext(scope: TurnScope, own: Own, signal: AbortSignal): WorkContext {
  const { turn, ports } = scope;
  const { means } = ports;
  const { namespace, thread } = turn.place;

  const withinBudget = () => {
    const over = ports.overBudget();
    if (over !== undefined) throw new SkillFailure("over_budget", `Nothing more is bought: ${over}.`);
  };
  const count = async (used: readonly (Usage & { model: string })[]) => {
    for (const usage of used) await scope.emit({ type: "usage", ...usage });
  };

  return {
    threadFiles: createThreadFiles(scope, signal),
    async searchWeb(query) {
      withinBudget();
      const found = await means.search.search(query, signal);
      await count(found.usage ?? []);
      return found;
    },
    async makeImages(wanted) {
      withinBudget();
      const made = await means.images.make(wanted, signal);
      await count([{ ...made.usage, model: made.model }]);
      return made;
    },
    drawChart: (chart) => means.charts.draw(chart, signal),
    code: codeWork(scope, own, signal),
    async embed(texts) {
      if (means.embedder.model === undefined || texts.length === 0) return undefined;
      withinBudget();
      const made = await means.embedder.embed(texts, signal);
      if (made !== undefined) await count([{ ...made.usage, model: made.model }]);
      return made;
    },
    knowledge: channelKnowledge(scope, own),
    searchPast: async (words, most) =>
      (await ports.conversations?.search(namespace, { words, most, except_thread: thread }, signal)) ?? {
        exchanges: [],
        looked_at: 0,
      },
  };
}

function codeWork(scope: TurnScope, { inFolder, approve }: Own, signal: AbortSignal): CodeWork | undefined {
  const { turn, ports } = scope;
  const { code: runner } = ports;
  const { code: means } = turn;
  if (runner === undefined || means === undefined) return undefined;
  return {
    means,
    async run({ language, code, about = "", timeout_ms = means.max_ms }) {
      if (means.hosts.length > 0 && untrustedIn(scope).length > 0) {
        const reason = `The code can reach ${means.hosts.join(", ")} with the files of this thread, and the agent has read text that nobody here vouches for.`;
        const asked = { action: "run_code", input: { language, code }, approver: "asker", reason } as const;
        const { approved } = await approve(asked);
        if (!approved) throw new SkillFailure("refused", "The person did not allow this code to run.");
      }
      const ran = await inFolder(`${about}\n${code}`, (working) =>
        runner.run({
          ...{ language, code, working, signal },
          timeout_ms: Math.min(timeout_ms, means.max_ms),
          max_output_bytes: 950_000,
        }),
      );
      return { outcome: ran.value, notes: ran.notes };
    },
  };
}

function channelKnowledge({ turn, ports }: TurnScope, { now }: Own): ChannelKnowledge | undefined {
  const { knowledge, embedder } = ports.means;
  if (knowledge === undefined) return undefined;
  const { namespace } = turn.place;
  const { id: author, name } = turn.author;
  return {
    add: (document, pieces) =>
      knowledge.add(namespace, { ...document, author, by: name || author, at: now() }, pieces),
    list: () => knowledge.list(namespace),
    remove: (ids) => knowledge.remove(namespace, ids),
    async search(words, most) {
      const made = await embedder.embed([words], turn.signal);
      const [vector] = made?.vectors ?? [];
      return await knowledge.search(namespace, { words, vector, model: made?.model, most });
    },
  };
}
