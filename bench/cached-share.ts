import type { App } from "../src/app/app.ts";
import type { Json } from "../src/core/values/json.ts";
import { createMemoryKeyValue } from "../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../src/storage/memory-turn-log.ts";
import { cachedShare } from "../test/support/vendors/recording.ts";
import { startVendors, type Vendors } from "../test/support/vendors/vendors.ts";
import { ask } from "./ask.ts";
import { asker, createBenchApp, namespace } from "./bench-app.ts";
import { type CachedModel, cachedModels, settingsFor } from "./cached-models.ts";
import { competentModel, type Exchange, type Step } from "./competent-model.ts";
import { atLeast, type Measure } from "./measure.ts";
import { openSurroundings, prose, type Surroundings } from "./tool-surroundings.ts";

/** A person's action in the channel before a turn. */
interface Turn extends Exchange {
  switches?: { skill: string; to: "pinned" | "blocked" };
}

/** Percent of input tokens that come from the cache. */
const targets = { in_place: 85, elsewhere: 70 };

const reasoning_tokens = 60;

/**
 * The share of input that the vendors' caches answer in one thread of ten turns, from its second model call on: the agent makes
 * two tool servers active, and people enable one skill and disable another.
 */
export async function measureCachedShare(): Promise<Measure[]> {
  const surroundings = await openSurroundings();
  const turns = turnsOf(surroundings);
  const options = { script: competentModel(turns), reasoning_tokens };
  const vendors = await startVendors(options);
  try {
    const measures: Measure[] = [];
    for (const model of cachedModels) {
      vendors.reset(options);
      await runThread(model, vendors, surroundings, turns);
      const [, ...requests] = vendors.requests(({ usage }) => usage !== undefined);
      measures.push(
        atLeast({
          name: `Input from the cache in ten turns, ${model.choice}`,
          ours: cachedShare(requests) * 100,
          target: model.in_place ? targets.in_place : targets.elsewhere,
          unit: "%",
        }),
      );
    }
    return measures;
  } finally {
    await vendors.stop();
    await surroundings.close();
  }
}

async function runThread(
  model: CachedModel,
  vendors: Vendors,
  { sources }: Surroundings,
  turns: readonly Turn[],
): Promise<void> {
  const running = await createBenchApp({
    model: settingsFor(model, vendors),
    log: createMemoryTurnLog(),
    store: createMemoryKeyValue(),
    sources,
  });
  running.start();
  try {
    for (const turn of turns) await runTurn(running.app, turn);
  } finally {
    await running.stop(1_000);
  }
}

async function runTurn(app: App, turn: Turn): Promise<void> {
  const { switches } = turn;
  if (switches !== undefined) {
    const switched = await app.run("skill.set", {
      input: { ns: namespace, id: switches.skill, state: switches.to },
      asker: { by: asker, namespace },
    });
    if (!switched.ok) throw new Error(switched.message);
  }
  const succeeded = await ask(app, "thread", turn.said);
  if (succeeded !== turn.steps.length)
    throw new Error(`“${turn.said}” made ${succeeded} calls instead of ${turn.steps.length}`);
}

function call(tool: string, input: Json): Step {
  return { tool, input };
}

function turnsOf({ folder }: Surroundings): readonly Turn[] {
  const file = (name: string) => call("filesystem__read_text_file", { path: `${folder}/${name}` });
  const text = "The parcel came late and the seat is scratched, but the refund was quick and friendly.";
  return [
    { said: "Hello! We talk about the chairs today.", steps: [], answer: prose(60) },
    {
      said: "What does release.md on the file server say?",
      steps: [{ server: "mcp_filesystem", words: "read text file" }, file("release.md")],
      answer: prose(150),
    },
    {
      said: "Remember that the fair is on the third of March.",
      steps: [call("memory_remember", { text: "The fair is on Tuesday, 3 March 2026." })],
      answer: prose(60),
    },
    {
      said: "Draft a reply to the customer with the scratched seat.",
      switches: { skill: "house-style", to: "pinned" },
      steps: [],
      answer: prose(180),
    },
    {
      said: "Plan how we get the spare seats until then.",
      steps: [
        call("invoke_skill", {
          skill_id: "task-planning",
          params: {
            task_description: "Get spare seats before the fair",
            steps: [{ title: "Order them" }, { title: "Check them", depends_on: [1] }],
          },
        }),
      ],
      answer: prose(250),
    },
    {
      said: "How many are 117 and 265 seats together?",
      steps: [
        { server: "mcp_everything", words: "sum of two numbers" },
        call("everything__get-sum", { a: 117, b: 265 }),
      ],
      answer: prose(60),
    },
    {
      said: "Thanks. What is left to do?",
      switches: { skill: "web-scraping", to: "blocked" },
      steps: [],
      answer: prose(120),
    },
    {
      said: "How hard is that review to read?",
      steps: [
        call("invoke_skill", { skill_id: "text-analyzer", params: { text, analysis_type: "readability" } }),
      ],
      answer: prose(120),
    },
    {
      said: "When is the fair again?",
      steps: [call("memory_recall", { query: "fair" })],
      answer: prose(60),
    },
    { said: "And who is in team.md?", steps: [file("team.md")], answer: prose(90) },
  ];
}
