import type { Vendor } from "./view.ts";

/** A failure of the next requests, whatever they ask. */
export interface Fault {
  /** An HTTP status, or `cut`: the stream, or the body, ends halfway. */
  kind: 400 | 401 | 408 | 429 | 500 | 503 | 529 | "cut";
  message?: string;
  /** How many requests; one unless given. */
  times?: number;
  /** Only requests of this model. */
  model?: string;
  vendor?: Vendor;
  /** For the `retry-after` header, seconds. */
  retry_after?: number;
}

/** The failures a test still wants. */
export interface Faults {
  add(fault: Fault): void;
  /** The fault for this request, which is used up. */
  take(vendor: Vendor, model: string): Fault | undefined;
}

export function createFaults(): Faults {
  let waiting: { fault: Fault; left: number }[] = [];
  return {
    add: (fault) => void waiting.push({ fault, left: fault.times ?? 1 }),
    take(vendor, model) {
      const next = waiting.find(
        ({ fault }) => (fault.vendor ?? vendor) === vendor && (fault.model ?? model) === model,
      );
      if (next === undefined) return undefined;
      next.left -= 1;
      waiting = waiting.filter(({ left }) => left > 0);
      return next.fault;
    },
  };
}

const messages: Readonly<Record<number, string>> = {
  401: "invalid x-api-key",
  429: "This request would exceed your rate limit.",
  500: "Internal server error",
  503: "The server is overloaded or not ready yet.",
  529: "Overloaded",
};

export function faultMessage({ kind, message }: Fault): string {
  return message ?? (kind === "cut" ? "" : (messages[kind] ?? "The request failed."));
}
