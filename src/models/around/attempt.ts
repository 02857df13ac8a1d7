import { ModelError, type ModelErrorCode, type ModelEvent } from "../../core/ports/model.ts";

/** What a layer around a model does with the events of an attempt. */
interface Handling {
  /** Gets each event, and returns what is passed on. `finished` is the last one: its reader may stop there. */
  pass?(event: ModelEvent): ModelEvent;
  /** Returns what follows after a failure; text that was shown is withdrawn before. @throws what nothing follows */
  recover(error: unknown): AsyncIterable<ModelEvent>;
  /** No more events are read: there are none, or the reader has stopped. */
  ended?(): void;
}

/**
 * The events of an attempt, and of what follows when it fails. An iterator of its own, because a generator takes several times as long for
 * each piece of each answer.
 */
export function attempted(
  events: AsyncIterable<ModelEvent>,
  { pass = unchanged, recover, ended }: Handling,
): AsyncIterable<ModelEvent> {
  return {
    [Symbol.asyncIterator]() {
      let source = events[Symbol.asyncIterator]();
      let hasFailed = false;
      let isShown = false;
      const note = (result: IteratorResult<ModelEvent>): IteratorResult<ModelEvent> => {
        if (result.done === true) {
          ended?.();
          return result;
        }
        const value = pass(result.value);
        if (value.type === "text") isShown = true;
        else if (value.type === "reset") isShown = false;
        return value === result.value ? result : { done: false, value };
      };
      const follow = (error: unknown) => {
        source = recover(error)[Symbol.asyncIterator]();
        hasFailed = true;
        return isShown ? { done: false as const, value: { type: "reset" as const } } : source.next();
      };
      return {
        next: () => (hasFailed ? source.next() : source.next().then(note, follow)),
        async return() {
          ended?.();
          return (await source.return?.()) ?? { done: true, value: undefined };
        },
      };
    },
  };
}

function unchanged(event: ModelEvent): ModelEvent {
  return event;
}

const reasons: Partial<Record<ModelErrorCode, string>> = {
  rate_limited: "The model limits how often it is asked.",
  overloaded: "The model is overloaded.",
  unavailable: "The model cannot be reached.",
  invalid_request: "The model refused the request.",
  unauthorized: "The model refused the key or the account.",
  bad_response: "The model sent an answer that cannot be used.",
};

/** One sentence for people on why an answer takes longer. It neither names servers nor quotes them. */
export function whyDelayed(error: unknown): string {
  const { code = undefined, seen = undefined } = error instanceof ModelError ? error : {};
  if (seen !== undefined) return `The model does not answer: ${seen}.`;
  return (code && reasons[code]) ?? "The model is not available.";
}
