import { errorText } from "../../base/error-text.ts";
import { onOneLine } from "../../base/text/invisible-text.ts";
import type { Mutex } from "../../core/ports/storage.ts";
import type { Preparation, PreparedState } from "../../core/skill/packages.ts";
import type { Outcome } from "../../core/values/failure.ts";
import { BuildRefusal } from "../build-folder.ts";
import type { Isolation } from "../isolation.ts";

/** Of all processes: one change at a time. */
const key = "prepared packages";

/** What a change may call while it runs. */
export interface Preparing {
  /** Receives the lines of an installer. */
  onLine(line: string): void;
  /** As for the work of a `Mutex`. */
  ensureHeld(): void;
}

/** The one change that may run, and the result of the last one of this process. */
export class RunningPreparation {
  readonly #isolation: Isolation;
  readonly #mutex: Mutex;
  readonly #patienceMs: number;
  #current: Promise<unknown> = Promise.resolve();
  #working: PreparedState["working"];
  #last: PreparedState["last"];

  /**
   * @param mutex of all processes that share the sets
   * @param patienceMs how long a request waits before it answers that the work continues
   */
  constructor(isolation: Isolation, mutex: Mutex, patienceMs: number) {
    this.#isolation = isolation;
    this.#mutex = mutex;
    this.#patienceMs = patienceMs;
  }

  state(): Pick<PreparedState, "working" | "last"> {
    return { working: this.#working && { ...this.#working }, last: this.#last };
  }

  /** Resolves when the running change has ended. */
  settled(): Promise<unknown> {
    return this.#current;
  }

  /** Runs one change and waits a while for its end. */
  async start(what: string, work: (preparing: Preparing) => Promise<string>): Promise<Outcome<Preparation>> {
    const [isolation, mutex] = [this.#isolation, this.#mutex];
    if (isolation.kind !== "bubblewrap") {
      const { problem, cure } = isolation.lacks;
      return refuse(409, `Packages are prepared inside the sandbox only. ${problem} ${cure}`);
    }
    const isBusy = await mutex.isBusy(key);
    if (this.#working !== undefined || isBusy) {
      const before = this.#working?.what ?? "by another process of this bot";
      return refuse(409, `Packages are already being prepared (${before}). Wait until that has finished.`);
    }
    const job = { what, since: Date.now(), line: "" };
    this.#working = job;
    const onLine = (line: string) => {
      job.line = plain(line) || job.line;
    };
    const done = this.#finish(what, () => mutex.run(key, (ensureHeld) => work({ onLine, ensureHeld })));
    this.#current = done;
    const later = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => later.resolve(undefined), this.#patienceMs);
    const outcome = await Promise.race([done, later.promise]);
    clearTimeout(timer);
    return (
      outcome ??
      ok(
        "working",
        `${what}: this takes longer and continues in the background. \`knack sandbox list\` shows its progress.`,
      )
    );
  }

  async #finish(what: string, work: () => Promise<string>): Promise<Outcome<Preparation>> {
    try {
      const message = await work();
      this.#last = { what, ok: true, message };
      return ok("done", message);
    } catch (error) {
      const reason = error instanceof BuildRefusal ? error.message : `It failed: ${errorText(error)}`;
      const message = `${reason} The packages prepared before are unchanged.`;
      this.#last = { what, ok: false, message };
      return refuse(409, message);
    } finally {
      this.#working = undefined;
    }
  }
}

function plain(line: string): string {
  return onOneLine(line).slice(0, 200);
}

function ok(state: Preparation["state"], message: string): Outcome<Preparation> {
  return { ok: true, value: { state, message } };
}

export function refuse(status: 400 | 404 | 409, message: string): Outcome<Preparation> {
  return { ok: false, status, message };
}
