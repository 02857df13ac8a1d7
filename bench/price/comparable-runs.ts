import { createCharts } from "../../src/charts/create-charts.ts";
import { loadInstructions } from "../../src/config/load-instructions.ts";
import { configSchema } from "../../src/config/schema.ts";
import type { DocumentReader } from "../../src/core/ports/documents.ts";
import type { Author, FileReference } from "../../src/core/values/inbound.ts";
import { createModels } from "../../src/models/create-models.ts";
import { createMemoryTurnLog } from "../../src/storage/memory-turn-log.ts";
import { turnLimits } from "../../src/wiring/app-settings.ts";
import { systemClock } from "../../src/wiring/system-clock.ts";
import { say } from "../../test/support/fakes/chat-world.ts";
import { createFakeChat } from "../../test/support/fakes/fake-chat-actions.ts";
import { fakeDocuments } from "../../test/support/fakes/fake-documents.ts";
import { createFakePlatform } from "../../test/support/fakes/fake-platform.ts";
import { createTestApp } from "../../test/support/test-app.ts";
import { echo } from "../../test/support/vendors/script.ts";
import { startVendors, type Vendors } from "../../test/support/vendors/vendors.ts";
import type { Script, ViewedRequest } from "../../test/support/vendors/view.ts";
import { benchWeb } from "../bench-app.ts";
import { type ComparableTask, comparableTasks, lastPage } from "./comparable-tasks.ts";
import { callOf, isOfKnack } from "./competent-model.ts";
import frozen from "./frozen-tools.json" with { type: "json" };
import { type PricedModel, settingsFor } from "./models.ts";
import { createPlainAgent } from "./plain-agent.ts";
import type { Surroundings } from "./surroundings.ts";
import { prose } from "./tasks.ts";

/** Model calls of a task with Knack, those of its skills included, and with the plain loop. */
export interface ComparedCalls {
  task: ComparableTask;
  ours: number;
  plain: number;
}

const model: PricedModel = { choice: "anthropic/claude-sonnet-5-5", in_place: true };
const anna: Author = { id: "U1ANN", name: "Ann", trust: "manager", time_zone: "Europe/Berlin" };
const channel = "fake:team:general";

/** Has both sides do the tasks, each in a thread of its own. */
export async function compareCalls(surroundings: Surroundings): Promise<ComparedCalls[]> {
  const tasks = comparableTasks(surroundings.page);
  const options = { script: honestModel(tasks) };
  const vendors = await startVendors(options);
  try {
    const ours = await callsOfKnack(tasks, vendors, surroundings);
    vendors.reset(options);
    const plain = await callsOfPlainLoop(tasks, vendors);
    return tasks.map((task, at) => ({ task, ours: ours[at] ?? 0, plain: plain[at] ?? 0 }));
  } finally {
    await vendors.stop();
  }
}

/** Calls what a task needs and does not stand in the conversation yet, then answers. */
function honestModel(tasks: readonly ComparableTask[]): Script {
  return (request) => {
    const task = tasks.find(({ exchanges }) => exchanges.some(({ said }) => request.said.includes(said)));
    const exchange = task?.exchanges.find(({ said }) => request.said.includes(said));
    if (task === undefined || exchange === undefined || !request.may_call || request.schema !== undefined) {
      return echo(request);
    }
    const { known, rounds } = sinceQuestion(request);
    const needed = exchange.rounds
      .map((calls) => calls.filter(({ unless }) => unless === undefined || !known.includes(unless)))
      .filter((calls) => calls.length > 0);
    const activation =
      task.activates !== undefined && isOfKnack(request)
        ? [{ activate: task.activates, ...(task.words === undefined ? {} : { words: task.words }) }]
        : [];
    const round = [...(activation.length > 0 ? [activation] : []), ...needed][rounds];
    if (round === undefined) return { text: `Answer: ${task.name}. ${prose(40)}` };
    return { calls: round.map((step) => callOf(step, request)) };
  };
}

/** The texts up to the person's last message, and how many rounds of calls came after it. */
function sinceQuestion({ messages }: ViewedRequest): { known: string; rounds: number } {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const known = messages.slice(0, last + 1).map(({ text }) => text);
  return {
    known: known.join("\n"),
    rounds: messages.slice(last + 1).filter(({ calls }) => calls.length > 0).length,
  };
}

/** The contents of the files that come with messages. */
function contentOf(name: string): string {
  if (name.endsWith(".pdf")) return `%PDF\n${prose(6_000)}\n${lastPage}`;
  if (name.endsWith(".csv")) {
    const rows = Array.from(
      { length: 2_600 },
      (_, at) => `2026-${String((at % 12) + 1).padStart(2, "0")},${at % 3}`,
    );
    return ["month,late", ...rows].join("\n");
  }
  return `The code word of ${name} is Falcon.\n${prose(11_000)}`;
}

const documents: DocumentReader = {
  ...fakeDocuments,
  read: async ({ name }) => ({
    ok: true,
    format: "PDF",
    text: contentOf(name),
    left_out: [],
    note: "12 pages",
  }),
};

/** The files of one of a task's messages. */
function filesOf({ files = [], exchanges }: ComparableTask, at: number): readonly string[] {
  if (exchanges.length > 1) return files.slice(at, at + 1);
  return files;
}

async function callsOfKnack(
  tasks: readonly ComparableTask[],
  vendors: Vendors,
  { sources, page }: Surroundings,
): Promise<number[]> {
  const { app, platform } = await openWorld(vendors, sources, page);
  const counts: number[] = [];
  for (const [thread, task] of tasks.entries()) {
    const before = vendors.requests().length;
    for (const [at, { said }] of task.exchanges.entries()) {
      const files = filesOf(task, at).map((name): FileReference => {
        const data = new TextEncoder().encode(contentOf(name));
        platform.files.set(name, data);
        return { id: name, name, media_type: mediaType(name), bytes: data.length };
      });
      const key = `m-${thread}-${at}`;
      const origin = { message: key, said_at: Date.now(), files, in_thread: at > 0 };
      const turn = await app.say(said, { by: anna, namespace: channel, thread: `t-${thread}`, key, origin });
      await followed(app, turn, task);
    }
    counts.push(
      vendors
        .requests()
        .slice(before)
        .filter(({ usage }) => usage !== undefined).length,
    );
  }
  await app.stop(1_000);
  return counts;
}

/** A bot in a channel of a chat platform, with everything that the tasks need. */
async function openWorld(vendors: Vendors, sources: Surroundings["sources"], page: string) {
  const chat = createFakeChat();
  chat.rooms.push({ namespace: channel, name: "general", members: ["U1ANN", "U2BEN"] });
  chat.known.push({ id: "U1ANN", name: "Ann", here: true }, { id: "U2BEN", name: "Ben", here: true });
  say(chat, channel, "m1", "U2BEN", "Ben", "The numbers of the offer are wrong.", "2026-11-24T08:00");
  say(chat, channel, "m2", "U2BEN", "Ben", "Fixed the invoice bug.", "2026-11-25T08:00");
  const platform = Object.assign(createFakePlatform(), { actions: chat });
  const config = configSchema.parse({});
  const models = createModels({ ...settingsFor(model, vendors), idleTimeoutMs: 60_000 }, systemClock);
  const found = [1, 2, 3].map((at) => {
    return { title: `Plans ${at}`, url: `${page}?vendor=${at}`, text: "Plans.", engines: ["bench"] };
  });
  const app = createTestApp(models.main, {
    models,
    sources,
    instructions: await loadInstructions(),
    limits: turnLimits(config),
    due: createMemoryTurnLog().due,
    web: benchWeb(["127.0.0.1"]),
    documents,
    means: {
      charts: createCharts(),
      search: { engines: ["bench"], search: async () => ({ hits: found, engines: ["bench"], notes: [] }) },
    },
  });
  app.chat.connect(platform);
  return { app, platform };
}

/** Follows a turn to its answer and approves what it asks. */
async function followed(
  app: ReturnType<typeof createTestApp>,
  turn: string,
  { name }: ComparableTask,
): Promise<void> {
  for await (const event of (await app.app.events(turn, -1, AbortSignal.timeout(60_000))) ?? []) {
    if (event.type === "approval_requested") {
      const input = { id: event.approval_id, approve: true };
      await app.app.run("approval.decide", { input, asker: { by: anna, namespace: channel } });
    }
    if (event.type === "tool_finished" && event.status === "error")
      throw new Error(`${event.tool} failed in the task ${name}: ${JSON.stringify(event.output)}`);
    if (event.type === "turn_finished" && !event.text.startsWith(`Answer: ${name}.`))
      throw new Error(`The task ${name} ended ${event.outcome}: ${event.text}`);
  }
}

function mediaType(name: string): string {
  if (name.endsWith(".pdf")) return "application/pdf";
  return name.endsWith(".csv") ? "text/csv" : "text/plain";
}

/** The plain loop gets the texts of files with the message. Its tools only answer that they ran, as the calls alone are counted. */
async function callsOfPlainLoop(tasks: readonly ComparableTask[], vendors: Vendors): Promise<number[]> {
  const tools = frozen.tools.map((definition) => ({ ...definition, run: async () => "Done." }));
  const agent = createPlainAgent(model, vendors, tools);
  const counts: number[] = [];
  for (const [thread, task] of tasks.entries()) {
    const before = vendors.requests().length;
    for (const [at, { said }] of task.exchanges.entries()) {
      const texts = filesOf(task, at).map((name) => `<file name="${name}">\n${contentOf(name)}\n</file>`);
      await agent.ask(`t-${thread}`, [...texts, said].join("\n\n"));
    }
    counts.push(vendors.requests().length - before);
  }
  return counts;
}
