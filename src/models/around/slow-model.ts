import type { Model, ModelEvent } from "../../core/ports/model.ts";
import type { Clock } from "../../core/ports/storage.ts";

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
  return {
    ...model,
    stream: (request) => ({
      [Symbol.asyncIterator]: () =>
        withNotice(model.stream(request)[Symbol.asyncIterator](), { type: "delayed", text }, clock),
    }),
  };
}

/** The same events, with the notice before the first when that is late. Later ones pass untouched: it costs them nothing. */
function withNotice(
  events: AsyncIterator<ModelEvent>,
  notice: ModelEvent,
  clock: Partial<Pick<Clock, "after">>,
): AsyncIterator<ModelEvent> {
  let first: Promise<IteratorResult<ModelEvent>> | undefined;
  let isNoticeDue = true;
  return {
    async next() {
      if (first !== undefined) {
        const late = first;
        first = undefined;
        return late;
      }
      if (!isNoticeDue) return events.next();
      isNoticeDue = false;
      const coming = events.next();
      if (!(await isSlow(coming, clock))) return coming;
      first = coming;
      return { done: false, value: notice };
    },
    async return() {
      // A first event that fails behind the reader's back is nobody's.
      first?.catch(() => {});
      return (await events.return?.()) ?? { done: true, value: undefined };
    },
  };
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
