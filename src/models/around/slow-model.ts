import type { Model, ModelEvent } from "../../core/ports/model.ts";
import type { Clock } from "../../core/ports/storage.ts";

/** The clock for models. Without `after` there are no notices about slow models. */
export type ModelClock = Pick<Clock, "now" | "sleep"> & Partial<Pick<Clock, "after">>;

/** Silence before the notice about a model that has sent nothing, and before the one about a model that has stopped answering, ms. */
const firstNoticeMs = 10_000;
const silenceMs = 45_000;

const local =
  /^(?:localhost|127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|\[(?:::1|f[cd])|host\.docker\.internal)|\.(?:local|internal|lan)$/;

/** Whether people run the server themselves. Such a server loads a model with its first request. */
export function isLocalHost(host: string): boolean {
  const name = host.replace(/:\d+$/, "");
  return local.test(name) || !/[.:[]/.test(name);
}

/**
 * Sends a `delayed` event when an answer has not begun after 10 seconds, and one when nothing has come for 45 seconds, also in the middle of
 * the answer.
 * @param isLocal whether its server may still have to load it
 */
export function withWaitNotice(model: Model, isLocal: boolean, clock: Partial<Pick<Clock, "after">>): Model {
  const text = isLocal
    ? "Waiting for the model. A local model may still be loading."
    : "Waiting for the model.";
  const { after } = clock;
  if (after === undefined) return model;
  return {
    ...model,
    stream: (request) => ({
      [Symbol.asyncIterator]: () => withNotices(model.stream(request)[Symbol.asyncIterator](), text, after),
    }),
  };
}

interface Notice {
  /** After the one before, or after the last event. */
  ms: number;
  text: string;
}

const silent = `The model has not answered for ${silenceMs / 1000} s.`;

/** The same events, with notices while one is late. */
function withNotices(
  events: AsyncIterator<ModelEvent>,
  waiting: string,
  after: Clock["after"],
): AsyncIterator<ModelEvent> {
  let due: readonly Notice[] = [
    { ms: firstNoticeMs, text: waiting },
    { ms: silenceMs - firstNoticeMs, text: silent },
  ];
  let coming: Promise<IteratorResult<ModelEvent>> | undefined;
  return {
    next() {
      coming ??= events.next();
      const awaited = coming;
      const [notice, ...later] = due;
      return new Promise((resolve, reject) => {
        let isNoticed = false;
        const cancel =
          notice &&
          after(notice.ms, () => {
            isNoticed = true;
            due = later;
            resolve({ done: false, value: { type: "delayed", text: notice.text } });
          });
        // After a notice, the event is for the next call.
        const take =
          <Value>(use: (value: Value) => void) =>
          (value: Value) => {
            if (isNoticed) return;
            cancel?.();
            coming = undefined;
            due = afterEvent;
            use(value);
          };
        awaited.then(take(resolve), take(reject));
      });
    },
    async return() {
      // No reader is left to handle the failure of a late event.
      coming?.catch(() => {});
      return (await events.return?.()) ?? { done: true, value: undefined };
    },
  };
}

const afterEvent: readonly Notice[] = [{ ms: silenceMs, text: silent }];
