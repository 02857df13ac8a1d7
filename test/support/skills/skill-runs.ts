import type { App } from "../../../src/app/app.ts";
import type { Author } from "../../../src/core/values/inbound.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { home } from "../test-app.ts";

const reader: Author = { id: "reader", name: "Reader", trust: "operator" };

/** The executions of skills so far, the latest first. */
export async function skillRunsOf(app: App) {
  const outcome = await app.run("run.list", { input: {}, asker: { by: reader, namespace: home.namespace } });
  return outcome.ok ? outcome.value.skills : [];
}

/** What a program reads that runs a skill in the test's channel: its output, or the members of the problem. */
export async function runSkillAs(app: App, by: Author, id: string, params: Record<string, Json> = {}) {
  const { namespace } = home;
  const outcome = await app.run("skill.run", { input: { id, params, namespace }, asker: { by, namespace } });
  if (outcome.ok) return outcome.value;
  return { error: outcome.message, code: outcome.code, ...outcome.details };
}
