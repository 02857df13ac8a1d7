import { describe, expect, it } from "vitest";
import { networkHint, withGrantedNetwork } from "../../../../src/core/skill/network-grants.ts";
import { WaitingForPerson } from "../../../../src/core/values/failure.ts";

/** A network whose operator decides the same each time; every question is noted. */
function operated({ granted = [] as string[], allows = true } = {}) {
  const hosts = [...granted];
  const asked: string[][] = [];
  const reached: string[] = [];
  const network = {
    hosts: async () => [...hosts],
    couldReach: (host: string) => host !== "10.0.0.1",
    reached: (host: string) => void reached.push(host),
    async request(wanted: readonly string[]) {
      asked.push([...wanted]);
      if (allows) hosts.push(...wanted);
      return allows;
    },
  };
  return { context: { network }, asked, reached };
}

describe("code that runs with a granted network", () => {
  it("code with a granted network reaches what was granted, by name and below a wildcard, and nothing else", async () => {
    const { context, reached } = operated({ granted: ["api.example.com", "*.example.org"], allows: false });
    const outcome = await withGrantedNetwork(context, [], async ({ permits }) =>
      ["api.example.com", "a.example.org", "example.org", "evil.test"].map((host) => permits(host)),
    );
    expect(outcome).toEqual({
      value: [true, true, false, false],
      refused: ["example.org", "evil.test"],
    });
    expect(reached).toEqual(["api.example.com", "a.example.org"]);
  });

  it("code runs without the hosts an operator refused, and they are asked for once", async () => {
    const { context, asked } = operated({ granted: ["a.test"], allows: false });
    const outcome = await withGrantedNetwork(context, ["a.test", "b.test"], async () => "done");
    expect(outcome).toEqual({ value: "done", refused: [] });
    const trying = await withGrantedNetwork(context, ["b.test"], async ({ permits }) => permits("b.test"));
    expect(trying).toEqual({ value: false, refused: ["b.test"] });
    expect(asked).toEqual([["b.test"], ["b.test"]]);
  });

  it.each(["...", ".", "a..b", "https://a.test", "a b", ""])(
    "nobody decides about %j, which is not a host",
    async (host) => {
      const { context, asked } = operated();
      await withGrantedNetwork(context, [host], async ({ permits }) => permits(host));
      expect(asked.flat().filter((name) => name === host)).toEqual([]);
    },
  );

  it.each(["a.test", "a.test:8443", "my_host.test", "203.0.113.7:80", "2001:db8::1"])(
    "an operator decides about %s",
    async (host) => {
      const { context, asked } = operated();
      await withGrantedNetwork(context, [host], async () => undefined);
      expect(asked).toEqual([[host]]);
    },
  );

  it("nobody decides about hosts that no grant could open", async () => {
    const { context, asked } = operated();
    const outcome = await withGrantedNetwork(context, ["10.0.0.1"], async ({ permits }) =>
      permits("10.0.0.1"),
    );
    expect(outcome).toEqual({ value: false, refused: ["10.0.0.1"] });
    expect(asked).toEqual([]);
  });

  it("code is run again with a host it turned out to need, once that is allowed", async () => {
    const { context, asked } = operated();
    const attempts: boolean[] = [];
    const outcome = await withGrantedNetwork(context, [], async ({ permits }) => {
      attempts.push(permits("Late.Test"));
      return attempts.length;
    });
    expect({ outcome, attempts, asked }).toEqual({
      outcome: { value: 2, refused: [] },
      attempts: [false, true],
      asked: [["late.test"]],
    });
  });

  it("code is never run a second time after it reached something", async () => {
    const { context, asked } = operated({ granted: ["shop.test"] });
    let runs = 0;
    const outcome = await withGrantedNetwork(context, [], async ({ permits }) => {
      runs += 1;
      permits("shop.test");
      permits("late.test");
      return "ordered";
    });
    expect({ outcome, runs, asked }).toEqual({
      outcome: { value: "ordered", refused: ["late.test"] },
      runs: 1,
      asked: [],
    });
  });

  it("code keeps its result when an operator refuses a host it turned out to need", async () => {
    const { context } = operated({ allows: false });
    const outcome = await withGrantedNetwork(context, [], async ({ permits }) => permits("late.test"));
    expect(outcome).toEqual({ value: false, refused: ["late.test"] });
  });

  it("code cannot make an operator allow every host by trying to reach one called *", async () => {
    const { context, asked } = operated();
    await withGrantedNetwork(context, ["*", "*.test"], async ({ permits }) => permits("*"));
    expect(asked).toEqual([]);
  });

  it("code with a granted network ends when a grant has no effect", async () => {
    const network = {
      hosts: async () => [],
      couldReach: () => true,
      reached: () => undefined,
      request: async () => true,
    };
    let runs = 0;
    await withGrantedNetwork({ network }, [], async ({ permits }) => {
      runs += 1;
      return permits("late.test");
    });
    expect(runs).toBe(1);
  });

  it("code with a granted network waits while nobody has decided", async () => {
    const request = async () => {
      throw new WaitingForPerson();
    };
    const waiting = withGrantedNetwork(
      { network: { hosts: async () => [], couldReach: () => true, reached: () => undefined, request } },
      ["a.test"],
      async () => 1,
    );
    await expect(waiting).rejects.toThrow(WaitingForPerson);
  });
});

it("a network hint says which hosts were missing and how to grant them", () => {
  const hint = (...hosts: string[]) => networkHint("weather", hosts, (host) => host !== "10.0.0.1");
  expect(hint("a.test", "10.0.0.1")).toMatch(/a\.test, 10\.0\.0\.1.*: \/skill grant weather a\.test\.$/);
  expect(hint("10.0.0.1")).toContain("private networks");
  expect(hint()).toBeUndefined();
});
