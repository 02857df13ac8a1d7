import type { ChatMessage } from "../src/app/chat/chat-intake.ts";
import { whySilent } from "../src/app/chat/intake/why-silent.ts";
import { createMessageJudge, type MessageJudge } from "../src/app/chat/judge-message.ts";
import { loadConfig } from "../src/config/load-config.ts";
import { noMeter } from "../src/core/ports/model.ts";
import { namespaceStateSchema } from "../src/core/skill/namespace-state.ts";
import { createModels } from "../src/models/create-models.ts";
import { modelSettings } from "../src/wiring/app-settings.ts";
import { systemClock } from "../src/wiring/system-clock.ts";
import { namespace } from "./bench-app.ts";
import { type LabelledMessage, labelledWeek } from "./labelled-week.ts";
import type { Measure } from "./measure.ts";

/**
 * How well a week's messages are chosen that the bot offers to answer unasked: by the rule alone, and by the small model of the configuration
 * after it, if that can judge. Without a bar: what is worth it depends on the model.
 */
export async function measureOffers(): Promise<Measure[]> {
  const passed = labelledWeek.filter(({ text }) => whySilent(messageOf(text), 0) === undefined);
  const share = (name: string, part: number, whole: number): Measure => {
    const ours = whole === 0 ? 0 : (100 * part) / whole;
    return { name, ours, ratio: 1, target: 0, at_least: true, unit: "%", ok: true };
  };
  const right = (messages: readonly LabelledMessage[]) => messages.filter(({ offer }) => offer).length;
  const rows = (by: string, chosen: readonly LabelledMessage[]) => [
    share(`Offers that are wanted, chosen by ${by}`, right(chosen), chosen.length),
    share(`Wanted offers that are made, chosen by ${by}`, right(chosen), right(labelledWeek)),
  ];
  const { config } = await loadConfig({ env: process.env, cwd: process.cwd() });
  const models = createModels(modelSettings(config), systemClock);
  const small = models.small(models.main);
  if (!small.generative) return rows("the rule", passed);
  const judge = createMessageJudge({
    name: config.name,
    models,
    profiles: [{ id: "chat", description: "", prompt: "" }],
    spending: { exceeded: async () => undefined, add() {} },
    clock: systemClock,
    meter: noMeter,
  });
  return [...rows("the rule", passed), ...rows(small.id, await chosenBy(judge, passed))];
}

/** @throws the first error of the model: a measure of its failures would say nothing */
async function chosenBy(judge: MessageJudge, messages: readonly LabelledMessage[]) {
  const { settings } = namespaceStateSchema.parse({});
  const chosen: LabelledMessage[] = [];
  for (const message of messages) {
    const { helps, error } = await judge.judge(namespace, message.text, settings);
    if (error !== undefined) throw error;
    if (helps) chosen.push(message);
  }
  return chosen;
}

function messageOf(text: string): ChatMessage {
  return {
    key: text,
    place: { namespace: "slack:T1:C1", thread: "1" },
    id: "1",
    author: "U1",
    by_bot: false,
    text,
    said_at: 0,
    addressed: "none",
    mentions_others: false,
    in_thread: false,
    files: [],
  };
}
