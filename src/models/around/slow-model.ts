import type { Model, ModelEvent } from "../../core/ports/model.ts";
import type { Clock } from "../../core/ports/storage.ts";

/** The clock for models. Without `after` there are no notices about slow models. */
export type ModelClock = Pick<Clock, "now" | "sleep"> & Partial<Pick<Clock, "after">>;

/** Delay before the notice about a model that has sent nothing, ms. */
const noticeDelay = 10_000;

const local =
  /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[(?:::1|f[cd])|host\.docker\.internal)|\.(?:local|internal|lan)$/;

/** Whether people run the server themselves. Such a server loads a model with its first request. */
export function isLocalHost(host: string): boolean {
  const name = host.replace(/:\d+$/, "");
  return local.test(name) || !/[.:[]/.test(name);
}

/**
 * Sends a `delayed` event when an answer has not begun after 10 seconds.
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

/** The same events, with the notice before the first event if it is late. Later events pass through at no cost. */
function withNotice(
  events: AsyncIterator<ModelEvent>,
  notice: ModelEvent,
  clock: Partial<Pick<Clock, "after">>,
): AsyncIterator<ModelEvent> {
  let first: Promise<IteratorResult<ModelEvent>> | undefined;
  let isNoticeDue = true;
  const begin = async (): Promise<IteratorResult<ModelEvent>> => {
    isNoticeDue = false;
    const coming = events.next();
    if (!(await isSlow(coming, clock))) return coming;
    first = coming;
    return { done: false, value: notice };
  };
  return {
    next() {
      if (isNoticeDue) return begin();
      const late = first;
      first = undefined;
      return late ?? events.next();
    },
    async return() {
      // No reader is left to handle the failure of a first event.
      first?.catch(() => {});
      return (await events.return?.()) ?? { done: true, value: undefined };
    },
  };
}

/** Resolves to true when the first event is late, or to false when it has arrived or failed. */
function isSlow(first: Promise<unknown>, clock: Partial<Pick<Clock, "after">>): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after?.(noticeDelay, () => resolve(true));
    const settle = () => {
      cancel?.();
      resolve(false);
    };
    first.then(settle, settle);
  });
}
