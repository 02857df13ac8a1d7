import { afterEach, beforeEach, describe, expect, type TestOptions, test } from "vitest";
import type { TurnLog } from "../../../src/core/log/turn-log.ts";
import { noUsage, type Usage } from "../../../src/core/log/usage.ts";
import type { Inbound } from "../../../src/core/values/inbound.ts";
import { claimAt } from "../../support/log-time.ts";
import { ending, entry, inbound } from "./turn-log-contract.ts";

const namespace = "console:local:general";
const bob = { id: "bob", name: "Bob", trust: "member" } as const;
const call = { input_tokens: 10, output_tokens: 3 };

/** How every turn log counts what model calls used. */
export function turnLogUsageContract(
  name: string,
  open: () => Promise<TurnLog>,
  options: TestOptions = {},
): void {
  describe(`${name}: usage`, options, () => {
    let log: TurnLog;
    beforeEach(async () => {
      log = await open();
    });
    afterEach(() => log.close());

    /** A finished turn with these model calls. */
    const spend = async (id: string, calls: readonly Usage[], change: Partial<Inbound> = {}, at = 100) => {
      await log.accept(inbound(`key-${id}`, { thread: id, ...change }), id, at);
      await claimAt(log, 1_000, "w1", 500);
      const events = calls.map((usage, seq) => entry(id, seq + 1, { type: "usage", model: "m", ...usage }));
      await log.append(id, "w1", [...events, ending(id, calls.length + 1)]);
    };

    test("usage is summed by namespace, user and time", async () => {
      const priced = { ...call, cost_usd: 0.25 };
      await spend("t1", [priced, priced]);
      await spend("t2", [priced], { author: bob }, 200);
      await spend("t3", [priced, priced], { namespace: "slack:w:c" }, 300);
      const sums = { ...noUsage, input_tokens: 50, output_tokens: 15, cost_usd: 1.25 };
      expect(await log.usage({ since: 0 })).toEqual(sums);
      expect(await log.usage({ since: 200 })).toMatchObject({ input_tokens: 30, cost_usd: 0.75 });
      expect(await log.usage({ namespace, since: 0 })).toMatchObject({ input_tokens: 30, cost_usd: 0.75 });
      expect(await log.usage({ user: "ada", since: 0 })).toMatchObject({ cost_usd: 1 });
      expect(await log.usage({ namespace, user: "bob", since: 0 })).toMatchObject({ output_tokens: 3 });
      expect(await log.usage({ since: 301 })).toEqual(noUsage);
      expect(await log.get("t1")).toMatchObject({ input_tokens: 20, output_tokens: 6, cost_usd: 0.5 });
    });

    test("usage tells what came from the provider's cache and what was written to it", async () => {
      await spend("t1", [
        { ...call, cache_write_tokens: 6 },
        { ...call, cached_tokens: 6, cache_write_tokens: 2 },
      ]);
      await spend("t2", [{ ...call, cached_tokens: 1 }]);
      expect(await log.get("t1")).toMatchObject({ cached_tokens: 6, cache_write_tokens: 8 });
      expect(await log.usage({ since: 0 })).toMatchObject({ cached_tokens: 7, cache_write_tokens: 8 });
    });

    test("usage has no cost where no model had a price", async () => {
      await spend("t1", [call, call]);
      await spend("t2", []);
      const total = { ...noUsage, input_tokens: 20, output_tokens: 6, unpriced_tokens: 26 };
      expect(await log.usage({ since: 0 })).toEqual(total);
      expect((await log.get("t1"))?.cost_usd).toBeUndefined();
      expect((await log.get("t2"))?.cost_usd).toBeUndefined();
      expect((await log.list({})).map((turn) => turn.cost_usd)).toEqual([undefined, undefined]);
    });

    test("usage has the known cost, and the tokens it leaves out", async () => {
      await spend("t1", [call, { ...call, cost_usd: 0.5 }]);
      await spend("t2", [call]);
      expect(await log.get("t1")).toMatchObject({ cost_usd: 0.5, unpriced_tokens: 13 });
      expect(await log.usage({ since: 0 })).toMatchObject({ cost_usd: 0.5, unpriced_tokens: 26 });
    });

    test("usage of a free model costs nothing, which counts as known", async () => {
      await spend("t1", [{ ...call, cost_usd: 0 }]);
      expect(await log.get("t1")).toMatchObject({ cost_usd: 0, unpriced_tokens: 0 });
      expect(await log.usage({ since: 0 })).toMatchObject({ cost_usd: 0 });
    });
  });
}
