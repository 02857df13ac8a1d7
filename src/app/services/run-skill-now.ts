import type { TurnEvent } from "../../core/log/turn-event.ts";
import type { Author, GivenCommand } from "../../core/values/inbound.ts";
import type { Json } from "../../core/values/json.ts";
import type { Submit } from "../turns/submit.ts";
import type { Follow } from "../turns/turn-events.ts";

/** The thread of test runs, separate from conversations. */
const testRunThread = "test-runs";

/** Submits a command and follows its turn. */
export interface RunAsCommand {
  submit: Submit;
  follow: Follow;
}

/** The command that runs a skill with these parameters, and its text for people. */
export function skillRunCommand(id: string, params: Json): { text: string; command: GivenCommand } {
  const text = `/skill run ${id} ${JSON.stringify(params)}`;
  return { text, command: { name: "skill run", operation: "skill.run", input: { id, params } } };
}

/** The output of a test run for programs, and its events. */
export interface TestRun {
  output: Json;
  events: TurnEvent[];
}

function isAnswer(events: readonly TurnEvent[]): boolean {
  const byAgent = events.some((event) => event.type === "round_started");
  return byAgent && events.some((event) => event.type === "turn_finished" && event.outcome === "completed");
}

function failureIn(events: readonly TurnEvent[], text: string): Json {
  const failed = events.findLast((event) => event.type === "error");
  return failed?.type === "error"
    ? { error: text.replaceAll(/\*\*|`/g, ""), code: failed.code }
    : { error: text };
}

/**
 * Runs a skill outside of a conversation. A test run is the command `/skill run`, so it is stored and shown like one. When it asks a person
 * something, an answer may take long: the output says so at once, and the run continues after the answer.
 */
export async function runSkillNow(
  app: RunAsCommand,
  id: string,
  params: Json,
  namespace: string,
  by: Author,
): Promise<TestRun> {
  const place = { namespace, thread: testRunThread };
  const submitted = await app.submit({ ...skillRunCommand(id, params), ...place, author: by });
  if (!submitted.ok) return { output: { error: submitted.message }, events: [] };
  const seen: TurnEvent[] = [];
  const events = await app.follow(submitted.value.turn_id, -1, new AbortController().signal);
  for await (const event of events ?? []) {
    seen.push(event);
    if (event.type === "approval_requested" || event.type === "question_asked")
      return { output: waiting(event, namespace), events: seen };
    if (event.type !== "turn_finished") continue;
    // The agent runs a guide and answers with text.
    const answer = { skill_id: id, output: event.text, success: true };
    return { output: event.output ?? (isAnswer(seen) ? answer : failureIn(seen, event.text)), events: seen };
  }
  return { output: { error: "The run ended without a result." }, events: seen };
}

type Asking = TurnEvent & { type: "approval_requested" | "question_asked" };

/** The output while the run waits: the question, where to answer it, and where the result will be. */
function waiting(event: Asking, namespace: string): Json {
  const { turn_id } = event;
  const isApproval = event.type === "approval_requested";
  const asked = isApproval ? (event.question ?? `May ${event.tool} run with this input?`) : event.text;
  const answer = isApproval
    ? { approval_id: event.approval_id, input: event.input }
    : { question_id: event.question_id };
  const hint = `Answer in the console, or with: knack chat --namespace ${namespace} --thread ${testRunThread}. The run then continues; knack runs show ${turn_id} shows what came of it.`;
  return { error: `It waits for a person: ${asked}`, code: "waiting_for_person", hint, turn_id, ...answer };
}
