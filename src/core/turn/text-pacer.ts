import type { Clock } from "../ports/clock.ts";
import type { Redactor } from "../values/redact.ts";

/** How often streamed text is shown at most, ms: faster than people see. */
const pace = 16;

/** Joins pieces of streamed text that come faster than anybody can see, and takes secrets out of it. */
export interface TextPacer {
  /** Shows the piece now, or together with those that follow within moments. The beginning of a secret waits for its end. */
  add(piece: string): void;
  /** Shows what is left. Resolves once it is recorded. */
  flush(): Promise<void>;
  /** Forgets what is left: it is void. */
  clear(): void;
}

export function createTextPacer(
  clock: Clock,
  redact: Redactor,
  show: (text: string) => Promise<void>,
): TextPacer {
  let redacted = redact.stream();
  let held = "";
  let cancel: (() => void) | undefined;
  const clear = () => {
    cancel?.();
    cancel = undefined;
    held = "";
    redacted = redact.stream();
  };
  const flush = async () => {
    const text = held + redacted.end();
    clear();
    if (text !== "") await show(text);
  };
  const begin = (text: string) => {
    cancel = clock.after(pace, () => {
      cancel = undefined;
      const rest = held;
      held = "";
      if (rest !== "") begin(rest);
    });
    void show(text);
  };
  return {
    add(piece) {
      const text = redacted.add(piece);
      if (text === "") return;
      if (cancel === undefined) begin(text);
      else held += text;
    },
    flush,
    clear,
  };
}
