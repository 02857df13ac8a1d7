import type { Clock } from "../core/ports/storage.ts";
import type { Connection } from "./connection.ts";
import { Lane } from "./lane.ts";

export interface AccountLanesOptions {
  clock: Clock;
  /** As `LaneOptions.most_attempts`. */
  most_attempts: number;
  /** A connection that nobody used for so long is closed, ms; undefined keeps all. */
  idle_ms: number | undefined;
  open(account: string, onLost: (reason: string) => void, signal: AbortSignal): Promise<Connection>;
  report(error: unknown): void;
}

/** The ways to one server, one for each account that used it. */
export interface AccountLanes {
  all(): readonly Lane[];
  /** That of an account, made when there is none. */
  of(account: string): Lane;
  /** The same, for a call: it is not idle from now on. */
  use(account: string): Lane;
  close(account: string): Promise<void>;
  closeAll(): Promise<void>;
}

export function createAccountLanes(options: AccountLanesOptions): AccountLanes {
  const { clock, most_attempts, idle_ms, open, report } = options;
  const lanes = new Map<string, Lane>();
  const idle = new Map<string, () => void>();

  const of = (account: string): Lane => {
    const known = lanes.get(account);
    if (known !== undefined) return known;
    const lane = new Lane({
      clock,
      most_attempts,
      open: (onLost, signal) => open(account, onLost, signal),
    });
    lanes.set(account, lane);
    return lane;
  };

  const close = async (account: string): Promise<void> => {
    idle.get(account)?.();
    idle.delete(account);
    const lane = lanes.get(account);
    lanes.delete(account);
    await lane?.close();
  };

  const keep = (account: string): void => {
    idle.get(account)?.();
    if (idle_ms === undefined) return;
    const look = () => {
      // A call may wait longer than that for a person.
      if (lanes.get(account)?.isBusy()) keep(account);
      else close(account).catch(report);
    };
    idle.set(account, clock.after(idle_ms, look));
  };

  return {
    all: () => [...lanes.values()],
    of,
    use(account) {
      keep(account);
      return of(account);
    },
    close,
    async closeAll() {
      await Promise.all([...lanes.keys()].map(close));
    },
  };
}
