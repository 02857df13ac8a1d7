/** Requests of people and programs to the bot, one call each. */
import type { App } from "../../../src/app/app.ts";
import type { SettingsChange } from "../../../src/core/skill/namespace-state.ts";
import type { Asker } from "../../../src/core/values/failure.ts";
import type { Author } from "../../../src/core/values/inbound.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { type Verdict, verdictInput } from "../../../src/core/values/verdict.ts";

type Asked = Pick<App, "run">;

const asker = (by: Author, namespace = "console:local:general"): Asker => ({ by, namespace });
const reader: Author = { id: "reader", name: "Reader", trust: "member" };
const operator: Author = { id: "operator", name: "Operator", trust: "operator" };

/** A person in the channel of a turn; in the console's if there is no such turn. */
async function besideTurn(app: Asked, id: string, by: Author): Promise<Asker> {
  const shown = await app.run("turn.show", { input: { id }, asker: asker(operator) });
  return asker(by, shown.ok ? shown.value.namespace : undefined);
}

export async function stopTurn(app: Asked, id: string, by: Author) {
  return app.run("turn.stop", { input: { id }, asker: await besideTurn(app, id, by) });
}

export async function answerTurn(app: Asked, id: string, question_id: string, text: string, by: Author) {
  const input = { id, question_id, text };
  return app.run("turn.answer", { input, asker: await besideTurn(app, id, by) });
}

/** @param verdict true approves once, false refuses */
export async function approve(app: Asked, id: string, verdict: Verdict | boolean, by: Author) {
  const input = { id, ...verdictInput(verdict === true ? "once" : verdict || "refuse") };
  return app.run("approval.decide", {
    input,
    asker: await besideTurn(app, id.slice(0, id.lastIndexOf(":")), by),
  });
}

export async function forgetTurn(app: Asked, id: string, by: Author) {
  return app.run("turn.forget", { input: { id }, asker: await besideTurn(app, id, by) });
}

export function forgetPerson(
  app: Asked,
  id: string,
  asker: Asker,
  { dryRun = false, leavePosts = false } = {},
) {
  if (dryRun) return app.run("person.show", { input: { id }, asker });
  return app.run("person.forget", { input: { id, leave_posts: leavePosts ? "true" : "false" }, asker });
}

export function changeSettings(app: Asked, ns: string, settings: SettingsChange, by: Author) {
  return app.run("channel.change", { input: { ns, settings }, asker: asker(by, ns) });
}

export function runRetention(app: Asked, { dryRun }: { dryRun: boolean }, asker: Asker) {
  return app.run("retention.run", { input: { dry_run: dryRun }, asker });
}

export async function retentionStatus(app: Asked) {
  const outcome = await app.run("retention.show", { input: {}, asker: asker(reader) });
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.value;
}

/** The turns of a thread with their events, oldest first. */
export async function threadOf(app: Asked, ns: string, thread: string) {
  const outcome = await app.run("thread.show", { input: { ns, thread }, asker: asker(reader, ns) });
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.value.turns;
}

export async function channelOf(app: Asked, ns: string) {
  const outcome = await app.run("channel.show", { input: { ns }, asker: asker(reader, ns) });
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.value;
}

/** The request of the next model call. */
export async function promptOf(app: Asked, namespace: string, message: string, thread?: string) {
  const input = { namespace, message, ...(thread === undefined ? {} : { thread }) };
  const outcome = await app.run("prompt.show", { input, asker: asker(reader, namespace) });
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.value;
}

/** Runs a flow in the general channel, or does a dry run. */
export function runFlow(
  app: Asked,
  id: string,
  input: { vars?: Record<string, Json>; dry_run?: boolean },
  by: Author,
) {
  const { namespace } = asker(by);
  return app.run("flow.run", { input: { id, namespace, ...input }, asker: asker(by) });
}
