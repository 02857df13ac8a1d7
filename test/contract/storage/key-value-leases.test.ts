import { createKeyValueLeases } from "../../../src/storage/key-value-leases.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { leasesContract } from "./leases-contract.ts";

leasesContract("leases in a key-value store", async () => {
  const store = createMemoryKeyValue();
  let now = 1_000;
  const clock = { steady: () => now };
  return {
    one: createKeyValueLeases(store, "one", clock),
    two: createKeyValueLeases(store, "two", clock),
    pass(ms) {
      now += ms;
    },
  };
});
