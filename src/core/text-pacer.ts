import type { Clock } from "./clock.ts";

/** How often streamed text is shown at most, ms: faster than people see. */
const pace = 16;

/** Joins pieces of streamed text that come faster than anybody can see. */
export interface TextPacer {
  /** Shows the piece now, or together with those that follow within moments. */
  add(text: string): void;
  /** Shows what is left. Resolves once it is recorded. */
  flush(): Promise<void>;
  /** Forgets what is left: it is void. */
  clear(): void;
}

export function createTextPacer(clock: Clock, show: (text: string) => Promise<void>): TextPacer {
  let held = "";
  let cancel: (() => void) | undefined;
  const clear = () => {
    cancel?.();
    cancel = undefined;
    held = "";
  };
  const flush = async () => {
    const text = held;
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
    add(text) {
      if (cancel === undefined) begin(text);
      else held += text;
    },
    flush,
    clear,
  };
}
