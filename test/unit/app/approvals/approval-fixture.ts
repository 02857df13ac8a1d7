import type { Author } from "../../../../src/core/values/inbound.ts";
import type { Json } from "../../../../src/core/values/json.ts";
import { type Line, scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { type TestTool, testSkill } from "../../../support/skills/test-skill.ts";
import { createTestApp, type TestAppOptions } from "../../../support/test-app.ts";

/** A manager. */
export const mia: Author = { id: "mia", name: "Mia", trust: "manager" };

/** A skill whose tool `send` changes something; what it ran with is kept. */
export function sender(tool: Partial<TestTool> = {}, risk: "low" | "medium" | "high" = "high") {
  const ran: Json[] = [];
  const run = (input: Json) => {
    ran.push(input);
    return "sent";
  };
  const skill = testSkill("mail", [{ name: "send", effect: "side_effect", run, ...tool }], {
    active: true,
    risk,
  });
  return { ran, skill };
}

/** A model that calls `send` with each of these, then answers. */
export const script = (...calls: { text: string }[]): Line[] => [
  calls.map((each) => ({ call: "send", with: each })),
  "Done.",
];

/** An app whose model calls `send` with `{text: "hello"}`. */
export function waitingApp(
  options: { tool?: Partial<TestTool>; risk?: "low" | "medium" | "high" } & TestAppOptions,
) {
  const { tool, risk, ...more } = options;
  const { ran, skill } = sender(tool, risk);
  const model = scriptedModel(script({ text: "hello" }));
  const test = createTestApp(model, { skills: [skill], ...more });
  const results = () => toolResults(model.requests.at(-1)?.messages ?? []);
  return { ...test, model, ran, skill, results };
}
