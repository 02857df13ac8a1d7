import type { Mutex } from "../../../src/core/ports/storage.ts";
import { createKeyValueLeases } from "../../../src/storage/key-value-leases.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { createSharedMutex } from "../../../src/storage/shared-mutex.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";

/**
 * The mutexes of processes on one store. They renew nothing, so that time that passes takes their keys away, as from processes that died
 * or were stopped.
 */
export function sharingProcesses(): { next(): Mutex; pass(ms: number): void } {
  const store = createMemoryKeyValue();
  let now = 0;
  let count = 0;
  const time = { steady: () => now };
  const clock = { after: () => () => {}, sleep: systemClock.sleep };
  return {
    next() {
      count += 1;
      return createSharedMutex(createKeyValueLeases(store, `process ${count}`, time), clock, time);
    },
    pass(ms) {
      now += ms;
    },
  };
}
