import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { KeyedMutex } from "../base/keyed-mutex.ts";
import { isRecord } from "../base/record.ts";
import type { Validation } from "../core/skill/tool.ts";
import type { Json, JsonSchema } from "../core/values/json.ts";
import type { SchemaQuestion } from "./schema-worker.ts";

/** Maximum duration of one check, ms. A server's schema may be made to take forever, by its patterns or its references. */
const maxCheck = 1_000;

/** How long the thread may take to start, ms. */
const maxStart = 20_000;

/** Maximum length of arguments that are checked, characters of JSON. */
const maxCharacters = 200_000;

export type ArgumentCheck = ReturnType<typeof createArgumentCheck>;

/**
 * Checks arguments against the servers' schemas before anything is sent. Runs in threads of its own. The checks of one server run one after
 * another, so its schemas delay no other server and take one thread at most.
 */
export function createArgumentCheck() {
  const lines = new KeyedMutex();
  /** A thread that is not in use. More of them end after their check. */
  let spare: Worker | undefined;

  /** @throws when it takes too long, or the thread ends */
  const ask = async (question: SchemaQuestion): Promise<string | undefined> => {
    const thread = spare ?? (await startThread());
    if (thread === spare) spare = undefined;
    let unused: Worker | undefined = thread;
    try {
      thread.ref();
      thread.postMessage(question);
      const [problem] = await once(thread, "message", { signal: AbortSignal.timeout(maxCheck) });
      thread.unref();
      [spare, unused] = [thread, spare];
      return problem;
    } finally {
      await unused?.terminate();
    }
  };

  return {
    /**
     * The check of a server's schema. The server, which checks too, has the last say on arguments that are too large, on a schema the validator
     * cannot read, and on a schema whose check once took too long.
     */
    of(server: string, schema: JsonSchema): (input: unknown) => Validation | Promise<Validation> {
      const text = JSON.stringify(schema);
      let isLeftToServer = false;
      return (input) => {
        if (!isRecord(input)) return { ok: false, message: "an object is expected" };
        const valid = { ok: true as const, value: input as Json };
        const value = JSON.stringify(input);
        if (isLeftToServer || value.length > maxCharacters) return valid;
        return lines.run(server, async () => {
          try {
            const message = isLeftToServer ? undefined : await ask({ schema: text, value });
            return message === undefined ? valid : { ok: false, message };
          } catch {
            isLeftToServer = true;
            return valid;
          }
        });
      };
    },
    /** Ends the threads, once all checks have their result. */
    async close(): Promise<void> {
      await lines.settled();
      await spare?.terminate();
      spare = undefined;
    },
  };
}

async function startThread(): Promise<Worker> {
  const thread = new Worker(new URL("./schema-worker.ts", import.meta.url), {
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 128, stackSizeMb: 4 },
  });
  // May fail when nobody waits for it; the next caller then gets no answer.
  thread.on("error", () => undefined);
  try {
    await once(thread, "message", { signal: AbortSignal.timeout(maxStart) });
    return thread;
  } catch (error) {
    await thread.terminate();
    throw error;
  }
}
