import { z } from "zod";
import { escapeMarkdown, oneLine } from "../../base/markdown-text.ts";
import type { TurnFilter } from "../../core/log/turn-log.ts";
import { formatDuration } from "../../core/log/turn-view.ts";
import { failed } from "../../core/values/failure.ts";
import { namespaceSchema, threadSchema } from "../../core/values/place.ts";
import { type SkillRun, skillRun } from "../services/skill-runs.ts";
import { operation } from "./operation.ts";
import type { Services } from "./services.ts";
import { readableRuns, readableTurn } from "./turns/readable-turn.ts";
import { presentTurn, turnEvent, turnRecord } from "./turns/turn-view.ts";

const runList = z.object({ turns: z.array(turnRecord), skills: z.array(skillRun) });

export const listRuns = operation({
  name: "run.list",
  input: z.object({
    namespace: namespaceSchema.optional(),
    thread: threadSchema.optional(),
    status: z.enum(["queued", "running", "waiting", "finished"]).optional(),
    before: z.string().max(300).optional().describe("only turns accepted before this one"),
    limit: z.coerce.number().int().min(1).max(200).default(50),
  }),
  output: runList,
  who: "anyone",
  http: {
    route: "GET /runs",
    summary: "Turns and skill executions, the newest first",
    answers: "turns and what skills did in them",
  },
  chat: {
    command: "skill runs",
    description: "Shows the latest runs of skills in this channel",
    read: (_words, { namespace }) => ({ namespace, limit: 50 }),
  },
  commandLine: { command: "runs list" },
  text({ turns, skills }, _input, { whole }) {
    if (!whole) return skills.slice(0, 15).map(chatLine).join("\n") || "No skill has run here yet.";
    const lines = turns.flatMap((turn) => [
      turnLine(turn),
      ...skills
        .filter(({ turn_id }) => turn_id === turn.turn_id)
        .map((run) => `  - \`${run.run_id}\` ${runWords(run)}`),
    ]);
    return lines.join("\n") || 'Nothing has run yet. Try: `knack ask "hello"`';
  },
  async run(call) {
    const { input, services } = call;
    const [turns, runs] = await Promise.all([services.turns.list(input), services.runs(input)]);
    const readable = await Promise.all(turns.map((turn) => readableTurn(turn, call)));
    return {
      ok: true,
      value: { turns: readable.map(({ turn }) => presentTurn(turn)), skills: readableRuns(runs, call) },
    };
  },
});

export const showRun = operation({
  name: "run.show",
  input: z.object({ id: z.string().min(1).max(300).describe("of a turn or of a skill's run") }),
  output: z.object({ turn: turnRecord, events: z.array(turnEvent), skills: z.array(skillRun) }),
  who: "anyone",
  about: { turn: ({ input, services }) => findTurn(input.id, services) },
  http: {
    route: "GET /runs/{id}",
    summary: "One turn with its events and what skills did in it",
    answers: "the turn",
  },
  async run(call) {
    const { input, services } = call;
    const found = await findTurn(input.id, services);
    if (found === undefined) return failed(404, `There is no turn or skill run ${input.id}.`);
    const place = { namespace: found.namespace, thread: found.thread };
    const [{ turn, events }, runs] = await Promise.all([
      readableTurn(found, call),
      services.runs({ ...place, limit: recentTurns }),
    ]);
    const ofTurn = runs.filter((run) => run.turn_id === turn.turn_id);
    const skills = readableRuns(ofTurn, call);
    return { ok: true, value: { turn: presentTurn(turn), events, skills } };
  },
});

/** Latest turns in which the run of a skill is searched. */
const recentTurns = 200;

async function findTurn(id: string, { turns, runs }: Services) {
  const turn = await turns.get(id);
  if (turn !== undefined) return turn;
  const filter: TurnFilter = { limit: recentTurns };
  const run = (await runs(filter)).find(({ run_id }) => run_id === id);
  return run === undefined ? undefined : turns.get(run.turn_id);
}

/** Everybody reads it: of what was done for one person alone, it does not say why it failed. */
function chatLine({ private: isPrivate, ...run }: SkillRun): string {
  return `- ${new Date(run.started_at).toISOString()} ${runWords(isPrivate ? { ...run, error: undefined } : run)}`;
}

function runWords({ skill_id, status, duration_ms, user, error }: Omit<SkillRun, "private">): string {
  const ended = [status, duration_ms === undefined ? "" : formatDuration(duration_ms)].filter(Boolean);
  const why = error === undefined ? "" : `: ${escapeMarkdown(oneLine(error, 200))}`;
  return `**${skill_id}** ${ended.join(", ")} (${user})${why}`;
}

function turnLine(turn: z.output<typeof turnRecord>): string {
  const { turn_id, accepted_at, started_at = accepted_at, finished_at, outcome, status, question } = turn;
  const took = finished_at === undefined ? "" : formatDuration(finished_at - started_at);
  const ended = [outcome ?? status, took].filter(Boolean).join(", ");
  return `- ${new Date(accepted_at).toISOString()} \`${turn_id}\` ${ended}: ${escapeMarkdown(oneLine(question, 100))}`;
}
