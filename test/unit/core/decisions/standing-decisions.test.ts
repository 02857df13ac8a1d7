import { expect, it } from "vitest";
import {
  addStanding,
  allowanceFor,
  readStanding,
  refusalFor,
  removeStanding,
  type StandingDecision,
} from "../../../../src/core/decisions/standing-decisions.ts";
import type { Binding } from "../../../../src/core/values/call-binding.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";

const general = "slack:T1:C1";
const binding = {
  ...{ skill_id: "mail", tool: "send", definition: "d1" },
  values: { to: "ann" },
} satisfies Binding;
const mia = { by: "mia", name: "Mia", at: 1, approver: "manager" } as const;
const ben = { by: "ben", name: "Ben", at: 1, approver: "asker", only_for: "ben" } as const;
type Made = Omit<StandingDecision, "id">;
const always = (by: typeof mia | typeof ben, more: Partial<Made> = {}): Made => ({
  ...{ verdict: "always", binding, ...by, ...more },
});
const never = (by: typeof mia | typeof ben, more: Partial<Made> = {}): Made => ({
  ...always(by, more),
  verdict: "never",
});

async function decided(made: readonly Made[]) {
  const store = createMemoryKeyValue();
  for (const each of made) await addStanding(store, general, each);
  return { store, standing: await readStanding(store, general) };
}

const other = { ...binding, values: { to: "eve" } };
const newer = { ...binding, definition: "d2" };

it.each<[string, Made[], "runs" | "asks" | "refused"]>([
  ["nothing was decided", [], "asks"],
  ["a manager said always", [always(mia)], "runs"],
  ["a manager said never", [never(mia)], "refused"],
  ["the asker said never", [never(ben)], "refused"],
  ["another asker said never", [never({ ...ben, by: "cleo", only_for: "cleo" } as never)], "asks"],
  ["never was said of another recipient", [never(mia, { binding: other })], "asks"],
  ["never was said of an earlier definition", [never(mia, { binding: newer })], "asks"],
  ["a manager said always, then never", [always(mia), never(mia)], "refused"],
  ["a manager said never, then always", [never(mia), always(mia)], "runs"],
  ["a manager said never, then the asker always", [never(mia), always(ben)], "refused"],
  ["the asker said never, then a manager always", [never(ben), always(mia)], "refused"],
])("a call of an asker's, when %s", async (_what, made, becomes) => {
  const { standing } = await decided(made);
  const refused = refusalFor(standing, binding, "ben");
  const allowed = allowanceFor(standing, binding, { approver: "asker", asker: "ben" });
  expect(refused !== undefined ? "refused" : allowed !== undefined ? "runs" : "asks").toBe(becomes);
});

it("an asker's always does not answer what asks for a manager, a manager's never does", async () => {
  const { standing } = await decided([always(ben)]);
  expect(allowanceFor(standing, binding, { approver: "manager", asker: "ben" })).toBeUndefined();
  const operator = { ...mia, by: "olga", approver: "operator" } as const;
  const strict = await decided([never(ben), never(operator as never)]);
  expect(refusalFor(strict.standing, binding, "ben")?.by).toBe("olga");
});

it("decisions are numbered, replace each other in their scope, and are taken back by number", async () => {
  const { store, standing } = await decided([always(mia), never(ben), never(mia)]);
  expect(standing.map(({ id, verdict, by }) => [id, verdict, by])).toEqual([
    [2, "never", "ben"],
    [3, "never", "mia"],
  ]);
  await removeStanding(store, general, 3);
  await removeStanding(store, general, 99);
  expect((await readStanding(store, general)).map(({ id }) => id)).toEqual([2]);
  expect(await readStanding(store, "slack:T1:C2")).toEqual([]);
});

it("what an earlier version stored is read, and it would not take a never for an always", async () => {
  const store = createMemoryKeyValue();
  const old = { id: 4, binding, ...mia };
  await store.set(`allowances:${general}`, { next: 5, allowances: [old] });
  expect(await readStanding(store, general)).toEqual([{ ...old, verdict: "always" }]);
  await addStanding(store, general, never(mia));
  expect(await store.get(`allowances:${general}`)).toEqual({
    next: 6,
    allowances: [],
    refusals: [{ id: 5, binding, ...mia }],
  });
});

it("an always of an earlier version holds where it says what a person would be told now, and asks once more elsewhere", async () => {
  const { standing } = await decided([always(mia)]);
  const allows = (values: Binding["values"]) =>
    allowanceFor(standing, { ...binding, values }, { approver: "asker", asker: "ben" }) !== undefined;
  expect(allows({ to: "ann" })).toBe(true);
  expect(allows({ to: "ann", amount: 9 })).toBe(false);
});

it("never refuses the destination whatever else a call says, and takes the place of what was always allowed there", async () => {
  const paid = (amount: number) => ({ ...binding, values: { to: "ann", amount }, refuses: { to: "ann" } });
  const { standing } = await decided([
    always(mia, { binding: paid(1) }),
    always(mia, { binding: paid(2) }),
    never(mia, { binding: paid(3) }),
  ]);
  expect(standing).toMatchObject([{ verdict: "never", binding: { values: { to: "ann" } } }]);
  expect(refusalFor(standing, paid(4), "ben")?.by).toBe("mia");
  expect(refusalFor(standing, { ...paid(4), refuses: { to: "eve" } }, "ben")).toBeUndefined();
  const again = await decided([never(mia), always(mia, { binding: paid(1) })]);
  expect(again.standing).toMatchObject([{ verdict: "always" }]);
});
