import { startVendors } from "../test/support/vendors/vendors.ts";
import { type Measure, relative } from "./measure.ts";
import { type ComparedCalls, compareCalls } from "./price/comparable-runs.ts";
import { competentModel } from "./price/competent-model.ts";
import { pricedModels } from "./price/models.ts";
import { openSurroundings } from "./price/surroundings.ts";
import { runPlainly, runWithKnack, type TaskRun } from "./price/task-runs.ts";
import { tasks as makeTasks, type Task } from "./price/tasks.ts";

/** The same tasks with Knack and with the plain loop. */
interface ComparedTasks {
  /** `provider/model`. */
  choice: string;
  tasks: readonly { task: Task; ours: TaskRun; plain: TaskRun }[];
}

/** Tokens of reasoning of every answer, on both sides. */
const reasoning_tokens = 60;

/**
 * What tasks cost, cache included, and how many model calls they take, against a plain loop that has all tools in every
 * request. The cache is cold at the first task. The targets are never raised.
 */
export async function measureTaskPrice(): Promise<Measure[]> {
  const { compared, calls } = await compareTasks();
  return [...compared.flatMap(priceMeasures), callMeasure(calls)];
}

function callMeasure(compared: readonly ComparedCalls[]): Measure {
  const allowed = ({ plain, task }: ComparedCalls) => plain + (task.activates === undefined ? 0 : 1);
  const ratios = compared.map((each) => each.ours / allowed(each));
  const more = compared.filter((each) => each.ours > allowed(each)).map(({ task }) => task.name);
  const sum = (of: (each: ComparedCalls) => number) => compared.reduce((all, each) => all + of(each), 0);
  return relative({
    name: ["Model calls of 22 comparable tasks", ...more].join(", "),
    target: 1,
    unit: "calls",
    ours: sum(({ ours }) => ours),
    baseline: sum(allowed),
    ratio: Math.max(...ratios),
  });
}

function priceMeasures({ choice, tasks }: ComparedTasks): Measure[] {
  const sum = (side: "ours" | "plain") => tasks.reduce((cents, each) => cents + each[side].price * 100, 0);
  const dearest = tasks.toSorted((a, b) => ratioOf(b) - ratioOf(a))[0];
  if (dearest === undefined) throw new Error("There are no tasks");
  const calls = tasks.map(({ task, ours, plain }) => ({
    ours: ours.requests.length,
    allowed: plain.requests.length + activations(task),
  }));
  const called = (side: "ours" | "allowed") => calls.reduce((all, each) => all + each[side], 0);
  return [
    relative({
      name: `Price of ${tasks.length} tasks, ${choice}`,
      target: 1.1,
      unit: "¢" as const,
      ours: sum("ours"),
      baseline: sum("plain"),
    }),
    relative({
      name: `… of the dearest, ${dearest.task.name}`,
      target: 1.8,
      unit: "¢" as const,
      ours: dearest.ours.price * 100,
      baseline: dearest.plain.price * 100,
    }),
    relative({
      name: "… model calls, one more for an activation",
      target: 1,
      unit: "calls" as const,
      ours: called("ours"),
      baseline: called("allowed"),
      ratio: Math.max(...calls.map(({ ours, allowed }) => ours / allowed)),
    }),
  ];
}

function ratioOf({ ours, plain }: ComparedTasks["tasks"][number]): number {
  return ours.price / plain.price;
}

function activations({ exchanges }: Task): number {
  return exchanges.flatMap(({ steps }) => steps).filter((step) => "activate" in step).length;
}

/** Runs all tasks on both sides: the priced ones with every model, the others with one, as only their calls are counted. */
async function compareTasks(): Promise<{ compared: ComparedTasks[]; calls: ComparedCalls[] }> {
  const surroundings = await openSurroundings();
  const tasks = makeTasks(surroundings.page, surroundings.folder);
  const options = { script: competentModel(tasks.flatMap(({ exchanges }) => exchanges)), reasoning_tokens };
  const vendors = await startVendors(options);
  const compared: ComparedTasks[] = [];
  try {
    for (const model of pricedModels) {
      vendors.reset(options);
      const ours = await runWithKnack(model, vendors, surroundings, tasks);
      vendors.reset(options);
      const plain = await runPlainly(model, vendors, surroundings, tasks);
      const pairs = tasks.flatMap((task, at) => {
        const [own, other] = [ours[at], plain[at]];
        return own === undefined || other === undefined ? [] : [{ task, ours: own, plain: other }];
      });
      compared.push({ choice: model.choice, tasks: pairs });
    }
    return { compared, calls: await compareCalls(surroundings) };
  } finally {
    await vendors.stop();
    await surroundings.close();
  }
}
