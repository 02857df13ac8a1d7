import { notApproved } from "../decisions/not-approved.ts";
import { createThreadFiles } from "../effects/tool-files.ts";
import type { Usage } from "../log/usage.ts";
import { WebSearchError } from "../ports/web.ts";
import { redactOutcome } from "../ports/work-means.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { SkillFailure } from "../skill/define-skill.ts";
import type { ToolContext } from "../skill/tool.ts";
import type { ChannelKnowledge, CodeWork, WorkContext } from "../skill/work-context.ts";
import { untrustedIn } from "../transcript/untrusted.ts";
import { guidesOf } from "./toolset.ts";

/** The parts of a tool's context that the work context builds on. */
type Own = Pick<ToolContext, "inFolder" | "approve" | "now">;

export function createWorkContext(
  scope: TurnScope,
  own: Own,
  signal: AbortSignal,
): Omit<WorkContext, "chat" | "schedules" | "teaching"> {
  const { turn, ports } = scope;
  const { means } = ports;
  const { namespace, thread } = turn.place;

  const withinBudget = async () => {
    const over = await turn.link.overBudget(scope.namespace.settings);
    if (over !== undefined) throw new SkillFailure("over_budget", `Nothing more is bought: ${over}.`);
  };
  const count = async (used: readonly (Usage & { model: string })[]) => {
    for (const usage of used) await scope.emit({ type: "usage", ...usage });
  };

  const embed = async (texts: readonly string[]) => {
    const made = await means.embedder.embed(texts, signal);
    if (made !== undefined) await count([{ ...made.usage, model: made.model }]);
    return made;
  };

  return {
    threadFiles: createThreadFiles(scope, signal),
    async searchWeb(query) {
      await withinBudget();
      const found = await means.search.search(query, signal).catch(async (error: unknown) => {
        if (error instanceof WebSearchError) await count(error.usage);
        throw error;
      });
      await count(found.usage ?? []);
      return found;
    },
    async makeImages(wanted) {
      await withinBudget();
      const made = await means.images.make(wanted, signal);
      await count([{ ...made.usage, model: made.model }]);
      return made;
    },
    drawChart: (chart) => means.charts.draw(chart, signal),
    drawSvg: (svg, width) => means.charts.picture(svg, signal, width),
    code: codeWork(scope, own, signal),
    async embed(texts) {
      if (means.embedder.model === undefined || texts.length === 0) return undefined;
      await withinBudget();
      return await embed(texts);
    },
    knowledge: channelKnowledge(scope, own, embed),
    searchPast: (words, most) => ports.searchPast(namespace, { words, most, except_thread: thread }, signal),
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
        const says = { deed: `run this ${language} code`, quotes: "code", names: ["language"] };
        const input = { language, code };
        const decided = await approve({ action: "run_code", says, input, approver: "asker", reason });
        if (!decided.approved) throw notApproved(decided, { what: "this code", so: "it did not run" });
      }
      const ran = await inFolder(`${about}\n${code}`, (working) =>
        runner.run({
          language,
          code,
          working,
          skills: guidesOf(scope),
          signal,
          timeout_ms: Math.min(timeout_ms, means.max_ms),
          max_output_bytes: 950_000,
        }),
      );
      return { outcome: redactOutcome(ran.value, ports.redact), notes: ran.notes };
    },
  };
}

function channelKnowledge(
  scope: TurnScope,
  { now }: Own,
  embed: WorkContext["embed"],
): ChannelKnowledge | undefined {
  const { turn, ports } = scope;
  const { knowledge } = ports.means;
  if (knowledge === undefined) return undefined;
  const { namespace } = turn.place;
  const { id: author, name } = turn.author;
  return {
    add: ({ title, source }, pieces) =>
      knowledge.add(
        namespace,
        { title: ports.redact(title), source: ports.redact(source), author, by: name || author, at: now() },
        pieces.map((piece) => ({ ...piece, text: ports.redact(piece.text) })),
      ),
    list: () => knowledge.list(namespace),
    remove: (ids) => knowledge.remove(namespace, ids),
    async search(words, most) {
      if ((await knowledge.list(namespace)).length === 0) return [];
      // When the budget is used up, the search falls back to words.
      const over = await turn.link.overBudget(scope.namespace.settings);
      const made = over === undefined ? await embed([words]) : undefined;
      const [vector] = made?.vectors ?? [];
      return await knowledge.search(namespace, { words, vector, model: made?.model, most });
    },
  };
}
