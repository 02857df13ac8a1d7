import { isContainer, isRecord } from "../../../base/record.ts";
import type { TurnReading } from "../../../core/log/turn-log.ts";
import type { DryRun, DryRunModel, Teacher } from "../../../core/ports/teaching.ts";
import { guide } from "../../../core/skill/offered-tools.ts";
import type { Skill } from "../../../core/skill/skill.ts";
import type { Json } from "../../../core/values/json.ts";
import type { ToolCall } from "../../../core/values/message.ts";
import type { Place } from "../../../core/values/place.ts";
import type { RecordedThread, Recordings } from "./recorded-turn.ts";
import { type ReplayMeans, RunningReplay } from "./replay-turn.ts";

/** Maximum rounds of the model in one run: a guide that needs more is not tried to its end. */
const maxRounds = 12;

/** The agent's own tools for its skills: whether they are called says nothing about the work. */
const aboutSkills: ReadonlySet<string> = new Set([
  "activate_skill",
  "offload_skill",
  "list_skills",
  "read_skill_file",
  "skill-maker",
]);

/** What drafts are run with. */
export interface DryRunMeans extends Pick<ReplayMeans, "picture" | "clock"> {
  log: TurnReading;
  recordings: Recordings;
  /** The names of the tools of a channel, by the ids of their skills or parts. */
  toolNames(namespace: string): Promise<ReadonlyMap<string, string>>;
}

/** The turn whose recorded results a draft is run on. */
export interface Occasion extends Place {
  turn_id: string;
  request: string;
}

/**
 * Runs a draft on what a thread has recorded. A guide is followed by the model, whose calls get the results of the same calls in the
 * thread; the steps of a flow are compared with these calls. No tool runs, and nothing is posted or stored.
 */
export async function dryRun(
  means: DryRunMeans,
  { skill, occasion, by, teacher }: { skill: Skill; occasion: Occasion; by: DryRunModel; teacher: Teacher },
): Promise<DryRun> {
  const { turn_id, request } = occasion;
  const nothing = { turn_id, request, calls: [], missing: [] };
  const recorded = await means.recordings.thread(occasion, await means.log.read(turn_id), teacher.author.id);
  if (recorded === undefined)
    return { ...nothing, problem: "what the thread had recorded is deleted or no longer stored" };
  const wanted = [...new Set(recorded.calls.map(({ name }) => name))].filter(
    (name) => !aboutSkills.has(name),
  );
  const run = skill.kind === "flow" ? flowRun : guideRun;
  const done = await run(means, { skill, request, recorded, by, namespace: occasion.namespace });
  const called = new Set(done.calls.map(({ tool }) => tool));
  return { ...nothing, ...done, missing: wanted.filter((name) => !called.has(name)) };
}

interface Running {
  skill: Skill;
  request: string;
  recorded: RecordedThread;
  by: DryRunModel;
  namespace: string;
}

type Done = Pick<DryRun, "calls" | "answer" | "problem">;

async function guideRun(means: DryRunMeans, { skill, request, recorded, by }: Running): Promise<Done> {
  const { transcript, results } = recorded;
  const { instructions, told } = transcript.opening;
  const tools = [...transcript.tools.values()].filter(({ name }) => !aboutSkills.has(name));
  const counted: Promise<void>[] = [];
  const meter = { usage: (...used: Parameters<DryRunModel["used"]>) => void counted.push(by.used(...used)) };
  const running = { ...means, meter, limits: { max_rounds: maxRounds } };
  const text = `[The skill ${skill.id} is active. Its guide:]\n${guide(skill)}\n\n[The request:]\n${request}`;
  const begun = { opening: { instructions, tools, told }, later: [], results };
  const notes = new Set<string>();
  const replay = new RunningReplay(running, by.model, begun, [{ role: "user", text }], notes);
  const answered = await replay.run(by.signal);
  await Promise.all(counted);
  const calls = answered.calls.flatMap(({ tool, recorded: known }) =>
    aboutSkills.has(tool) ? [] : { tool, recorded: known },
  );
  return { calls, answer: answered.text, problem: answered.error?.message };
}

async function flowRun({ toolNames }: DryRunMeans, { skill, recorded, namespace }: Running): Promise<Done> {
  const described = await skill.tools[0]?.dryRun?.({});
  const names = await toolNames(namespace);
  const resultOf = recorded.results.reader();
  const known = new Set(recorded.calls.map(({ name }) => name));
  const calls = stepsIn(described).flatMap(({ tool, input }) => {
    const name = names.get(tool) ?? tool;
    const text = JSON.stringify(input);
    // What a step before it puts in is not known here.
    const isOpen = /\$\{/.test(text);
    const call: ToolCall = { id: "", name, arguments: text };
    return { tool: name, recorded: isOpen ? known.has(name) : resultOf(call) !== undefined };
  });
  return { calls };
}

/** The steps that call a tool, in a flow's description of itself, with those of its branches. */
function stepsIn(described: Json | undefined): { tool: string; input: Json }[] {
  if (!isContainer(described)) return [];
  if (isRecord(described) && described.type === "tool" && typeof described.tool === "string")
    return [{ tool: described.tool, input: (described.input as Json | undefined) ?? {} }];
  return Object.values(described).flatMap((inner) => stepsIn(inner as Json));
}
