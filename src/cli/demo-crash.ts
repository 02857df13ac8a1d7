import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { operationRoutes } from "../app/operations/table.ts";
import { type ApiClient, createApiClient } from "../client/api-client.ts";
import type { TurnEvent } from "../core/log/turn-event.ts";
import type { Paint } from "../platforms/terminal/paint.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";
import { guardGroup } from "../process/group-guard.ts";
import { groupEnd, killGroup, spawnGroup } from "../process/process-group.ts";
import { type CommandContext, CommandError, exitCode } from "./command-context.ts";

const orders = [1, 2, 3];
/** What the scales weigh is read before this order; there the bot is killed. */
const weighed = 3;

/** How long the ledger takes for each answer, so that people can follow, ms. */
const paceMs = 800;

/** Pause in which people see what the bot is doing when it is killed, ms. */
const lookMs = 500;

/** Maximum time for the bot to start, and for the whole demonstration, ms. */
const maxStartMs = 60_000;
const maxDemoMs = 120_000;

/**
 * `knack demo crash`: kills a bot in the middle of a task, starts it again, and shows that it ends the task and repeats nothing. Needs no key
 * and no network, and leaves nothing behind. The exit code is 1 if the promise did not hold.
 */
export async function demoCrash(context: CommandContext): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), "knack-demo-"));
  const ended = new AbortController();
  const unlisten = context.onSignal(["SIGINT", "SIGTERM"], () => ended.abort());
  const ledger = await openLedger();
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(maxDemoMs)]);
  const demo = new Demo(context, folder, ledger, signal);
  try {
    return await demo.run();
  } catch (error) {
    if (ended.signal.aborted) return exitCode.stopped;
    if (!signal.aborted) throw error;
    const message = `The task did not end within ${maxDemoMs / 1000} s. The demonstration was stopped, and its data deleted.`;
    throw new CommandError(message, exitCode.failed, { cause: error });
  } finally {
    await demo.killBot();
    ledger.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    unlisten();
  }
}

type Ledger = Awaited<ReturnType<typeof openLedger>>;

/** A ledger outside the bot that counts how often each order is booked. */
async function openLedger() {
  const booked = new Map<number, number>();
  /** Resolves when the scales are read for the first time. That request is never answered. */
  const reached = Promise.withResolvers<void>();
  let readings = 0;
  const server = createServer(({ method, url = "" }, response) => {
    const order = Number(/^\/orders\/(\d+)$/.exec(url)?.[1]);
    if (method === "PUT" && !Number.isNaN(order)) booked.set(order, (booked.get(order) ?? 0) + 1);
    if (url === "/scales") readings += 1;
    if (url === "/scales" && readings === 1) return reached.resolve();
    const content = JSON.stringify(url === "/scales" ? { grams: 420 } : { booked: order });
    response.setHeader("content-type", "application/json");
    setTimeout(() => response.end(content), paceMs);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, booked, reached: reached.promise, close };
}

/** The task: books the orders one after another. */
function flowOf({ url }: Ledger): string {
  const call = (name: string, method: string, to: string) => ({
    type: "apiCall",
    config: { name, method, url: url + to },
  });
  const steps = orders.flatMap((order) => [
    ...(order === weighed ? [call(`Weighing order ${order}`, "GET", "/scales")] : []),
    call(`Booking order ${order}`, "PUT", `/orders/${order}`),
  ]);
  return JSON.stringify({
    name: "Ship orders",
    description: "Ships the orders of the day: books each of them in the ledger, one after the other.",
    steps: [{ type: "start", config: { variables: [] } }, ...steps],
  });
}

class Demo {
  readonly #context: CommandContext;
  readonly #folder: string;
  readonly #ledger: Ledger;
  readonly #signal: AbortSignal;
  readonly #paint: Paint;
  readonly #began: number;
  /** The last event that was shown. */
  #seen = -1;
  #bot: { child: ChildProcess; end: Promise<unknown>; gone: AbortController; release(): void } | undefined;

  constructor(context: CommandContext, folder: string, ledger: Ledger, signal: AbortSignal) {
    this.#context = context;
    this.#folder = folder;
    this.#ledger = ledger;
    this.#signal = signal;
    this.#paint = context.out.paint;
    this.#began = context.clock.now();
  }

  async run(): Promise<number> {
    const flows = path.join(this.#folder, ".knack-workspace", "flows");
    await mkdir(flows, { recursive: true });
    await writeFile(path.join(flows, "ship-orders.json"), flowOf(this.#ledger));
    this.#say("Starting a bot of its own: offline provider, temporary data folder, no keys.");
    const first = await this.#startBot();
    const place = { namespace: "console:local:dm", thread: "demo" };
    const { turn_id } = await first.submitTurn({ ...place, text: "Ship orders" });
    this.#say(`You: ${this.#paint.bold("Ship orders")}`);
    await Promise.race([this.#follow(first, turn_id), this.#ledger.reached]);
    // The log tells watchers of a step a moment after it is stored.
    await this.#context.clock.sleep(lookMs, this.#signal);
    this.#say(`  … Weighing order ${weighed}`);
    const { pid } = this.#bot?.child ?? {};
    await this.killBot();
    this.#say(this.#paint.bad(`kill -9 ${pid}: the bot is dead, in the middle of the task.`));
    const second = await this.#startBot();
    this.#say(`The bot runs again, as process ${this.#bot?.child.pid}. Nobody asks it anything.`);
    await this.#follow(second, turn_id);
    const { events } = await second.call("run.show", { id: turn_id });
    return this.#prove(events);
  }

  /** Kills the bot and everything it started. */
  async killBot(): Promise<void> {
    const bot = this.#bot;
    this.#bot = undefined;
    if (bot === undefined) return;
    killGroup(bot.child);
    bot.gone.abort();
    await bot.end;
    bot.release();
  }

  async #startBot(): Promise<ApiClient> {
    const env = {
      PATH: this.#context.env.PATH ?? "",
      HOME: this.#folder,
      TMPDIR: this.#folder,
      KNACK_DATA: path.join(this.#folder, "data"),
      KNACK_MODEL: "offline",
      KNACK_NET_ALLOW: "127.0.0.1",
      LOG_LEVEL: "fatal",
    };
    const program = [...process.execArgv, process.argv[1] ?? "", "start", "--port", "0"];
    const child = spawnGroup(process.execPath, program, {
      env,
      cwd: this.#folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const guard = child.pid === undefined ? undefined : guardGroup(child.pid, env);
    const gone = new AbortController();
    const bot = { child, end: groupEnd(child), gone, release: () => guard?.release() };
    this.#bot = bot;
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(maxStartMs)]);
    const baseUrl = await readyAddress(child, bot.end, signal);
    return createApiClient({ fetch, baseUrl, routes: operationRoutes });
  }

  /** Shows what the turn does from here on, and approves what it asks for, until it ends or the bot is gone. */
  async #follow(client: ApiClient, turnId: string): Promise<void> {
    const signals = [this.#signal, ...(this.#bot === undefined ? [] : [this.#bot.gone.signal])];
    const watching = { signal: AbortSignal.any(signals), after: this.#seen };
    for await (const event of client.turnEvents(turnId, watching)) {
      this.#tell(event);
      this.#seen = event.seq;
      if (event.type === "approval_requested")
        await client.call("approval.decide", { id: event.approval_id, approve: true });
    }
    this.#signal.throwIfAborted();
  }

  #tell(event: TurnEvent): void {
    const resumes = event.type === "turn_resumed" && this.#ledger.booked.size > 0;
    if (resumes) this.#say("  It resumes the task where its log ends.");
    if (event.type === "approval_decided")
      this.#say("  It asked whether it may run the flow “Ship orders”; the demo said yes.");
    if (event.type === "turn_finished") this.#say(`The answer is there: ${event.outcome}.`);
    const step = stepIn(event);
    if (step !== undefined) this.#say(`  ${this.#paint.good("✓")} ${step}`);
  }

  /** Prints what the ledger counted and the steps of the log. Returns the exit code. */
  #prove(events: readonly TurnEvent[]): number {
    const { good, bad, dim } = this.#paint;
    const print = (line: string) => this.#context.out.line(line);
    const { booked } = this.#ledger;
    const counts = orders.map((order) => `order ${order}: ${booked.get(order) ?? 0} ×`);
    print(`\nThe ledger, which is not the bot, counted bookings. ${counts.join(", ")}`);
    print("The log of the turn:");
    const steps: string[] = [];
    let before = 0;
    for (const event of events) {
      const step = stepIn(event);
      // It also resumes, at once, after the wait for approval.
      if (event.type === "turn_resumed" && steps.length > 0)
        print(bad(`  ── ${((event.at - before) / 1000).toFixed(1)} s without a bot ──`));
      if (step !== undefined) print(`  ${dim(new Date(event.at).toISOString().slice(11, 23))}  ${step}`);
      if (step !== undefined) steps.push(step);
      before = event.at;
    }
    const isWhole = events.some((event) => event.type === "turn_finished" && event.outcome === "completed");
    const isOnce = orders.every((order) => booked.get(order) === 1) && new Set(steps).size === steps.length;
    const held = isWhole && isOnce && steps.length === orders.length + 1;
    const verdict = held
      ? good("The task was finished, and nothing was repeated.")
      : bad("A booking is missing or was repeated, or the task did not end. Please report this.");
    print(`\n${verdict}`);
    return held ? exitCode.ok : exitCode.failed;
  }

  #say(text: string): void {
    const seconds = ((this.#context.clock.now() - this.#began) / 1000).toFixed(1).padStart(5);
    this.#context.out.line(`${this.#paint.dim(`${seconds} s`)}  ${text}`);
  }
}

/** The step that an event ends, in the words of the flow; the journal has `3 Booking order 2#1`. */
function stepIn(event: TurnEvent): string | undefined {
  if (event.type !== "step_finished") return undefined;
  return /^\d+ (.* order \d+)#1$/.exec(event.step)?.[1];
}

/** Where the bot listens. @throws CommandError when it ends or does not start in time */
function readyAddress(child: ChildProcess, end: Promise<unknown>, signal: AbortSignal): Promise<string> {
  let said = "";
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const fail = () => {
    const why = plainLine(said).slice(-1_000) || "nothing";
    reject(new CommandError(`The bot of the demonstration did not start. It said: ${why}`));
  };
  const hear = (chunk: Buffer) => {
    said += chunk.toString();
    const address = /is ready: (http:\S+)/.exec(said)?.[1];
    if (address !== undefined) resolve(address);
  };
  for (const output of [child.stdout, child.stderr]) output?.on("data", hear);
  child.once("error", fail);
  signal.addEventListener("abort", fail, { once: true });
  void end.then(fail);
  return promise;
}
