/** A request that is to go wrong. `route` is e.g. `POST /channels/:channel/messages`; `:name` and `*` fit any part. */
export interface Fault {
  route: string;
  /** How many requests it hits. */
  times: number;
  does:
    | { kind: "rate_limit"; seconds: number; global: boolean; shared: boolean }
    | { kind: "fail"; status: number; code: number; message: string; after: boolean }
    | { kind: "drop"; after: boolean };
}

/** The faults that were ordered, used up in order. */
export class Faults {
  readonly #faults: Fault[] = [];

  add(fault: Fault): void {
    this.#faults.push({ ...fault });
  }

  /** The fault of a request such as `POST /channels/1/messages`, if one is left. */
  take(request: string): Fault["does"] | null {
    const fault = this.#faults.find(({ route, times }) => times > 0 && fits(route, request));
    if (!fault) return null;
    fault.times -= 1;
    return fault.does;
  }
}

/** Whether a request is one of this route. */
export function fits(route: string, request: string): boolean {
  const wanted = route.split("/");
  const got = request.split("/");
  return (
    wanted.length === got.length &&
    wanted.every((part, index) => part === "*" || part.startsWith(":") || part === got[index])
  );
}
