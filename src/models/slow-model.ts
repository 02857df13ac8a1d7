import type { Clock } from "../core/clock.ts";
import type { Model, ModelEvent, ModelRequest } from "../core/model.ts";

/** What models need of the clock; without `after`, nobody is told of slow ones. */
export type ModelClock = Pick<Clock, "now" | "sleep"> & Partial<Pick<Clock, "after">>;

/** How long people wait without a sign of the model before they are told, ms. */
const patience = 10_000;

const local =
  /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[(?:::1|f[cd])|host\.docker\.internal)|\.(?:local|internal|lan)$/;

/** Whether a server is one that people run themselves, which loads a model with its first request. */
export function isLocalHost(host: string): boolean {
  const name = host.replace(/:\d+$/, "");
  return local.test(name) || !/[.:[]/.test(name);
}

/**
 * The model, with a `delayed` when nothing has come of an answer for 10 seconds.
 * @param isLocal whether its server may still have to load it
 */
export function withWaitNotice(model: Model, isLocal: boolean, clock: Partial<Pick<Clock, "after">>): Model {
  const text = isLocal
    ? "Waiting for the model. A local model may still be loading."
    : "Waiting for the model.";
  return { ...model, stream: (request) => stream(model, request, text, clock) };
}

async function* stream(
  model: Model,
  request: ModelRequest,
  text: string,
  clock: Partial<Pick<Clock, "after">>,
): AsyncGenerator<ModelEvent> {
  const events = model.stream(request)[Symbol.asyncIterator]();
  try {
    const first = events.next();
    if (await isSlow(first, clock)) yield { type: "delayed", text };
    for (let next = await first; !next.done; next = await events.next()) yield next.value;
  } finally {
    await events.return?.();
  }
}

/** Resolves when the first event has come or failed, or when it is late: true then. */
function isSlow(first: Promise<unknown>, clock: Partial<Pick<Clock, "after">>): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after?.(patience, () => resolve(true));
    const settle = () => {
      cancel?.();
      resolve(false);
    };
    first.then(settle, settle);
  });
}
