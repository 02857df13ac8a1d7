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
import { changed, exceptions, oneOf } from "../../../support/families/family.ts";

const general = "slack:T1:C1";
const binding = {
  skill_id: "mail",
  tool: "send",
  definition: "d1",
  values: { to: "ann" },
} satisfies Binding;
const mia = { by: "mia", name: "Mia", at: 1, approver: "manager" } as const;
const ben = { by: "ben", name: "Ben", at: 1, approver: "asker", only_for: "ben" } as const;
type Made = Omit<StandingDecision, "id">;
const always = (by: typeof mia | typeof ben, more: Partial<Made> = {}): Made => ({
  verdict: "always",
  binding,
  ...by,
  ...more,
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
])("a call of an asker follows the decisions: %s [always-5]", async (_what, made, becomes) => {
  const { standing } = await decided(made);
  const refused = refusalFor(standing, binding, "ben");
  const allowed = allowanceFor(standing, binding, { approver: "asker", asker: "ben" });
  expect(refused !== undefined ? "refused" : allowed !== undefined ? "runs" : "asks").toBe(becomes);
});

it("decisions that contradict each other refuse, in whatever order and by whomever they were made [always-4]", async () => {
  const within = (made: Made): Made => ({ ...made, within: "s1" });
  const decision = oneOf<Made>(always(mia), always(ben), within(always(mia)), within(always(ben)));
  const refusal = oneOf<Made>(never(mia), never(ben), within(never(ben)));
  const books = changed(decision, (first, random): Made[] => {
    const others = Array.from({ length: random(4) }, () => decision(random));
    const last = refusal(random);
    // A later decision of the same scope replaces an earlier one.
    const isOfScope = ({ only_for, within }: Made) => only_for === last.only_for && within === last.within;
    const before = [first, ...others];
    return random(2) === 0 ? [...before, last] : [last, ...before.filter((each) => !isOfScope(each))];
  });
  const cause = { kind: "schedule", id: "s1" } as const;
  const refuses = async (made: Made[]) =>
    refusalFor((await decided(made)).standing, binding, "ben", cause) !== undefined;
  expect(await exceptions(books, refuses, 100)).toEqual([]);
});

it("an asker's always does not answer a call that needs a manager, but a manager's never does", async () => {
  const { standing } = await decided([always(ben)]);
  expect(allowanceFor(standing, binding, { approver: "manager", asker: "ben" })).toBeUndefined();
  const operator = { ...mia, by: "olga", approver: "operator" } as const;
  const strict = await decided([never(ben), never(operator as never)]);
  expect(refusalFor(strict.standing, binding, "ben")?.by).toBe("olga");
});

it("decisions are numbered, replace each other in their scope, and are withdrawn by number", async () => {
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

it("an always holds for its values, and asks again for others", async () => {
  const { standing } = await decided([always(mia)]);
  const allows = (values: Binding["values"]) =>
    allowanceFor(standing, { ...binding, values }, { approver: "asker", asker: "ben" }) !== undefined;
  expect(allows({ to: "ann" })).toBe(true);
  expect(allows({ to: "ann", amount: 9 })).toBe(false);
});

it("a never refuses the destination whatever else a call says, and replaces what was always allowed there [always-4]", async () => {
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

type Cause = Parameters<typeof refusalFor>[3];
const [schedule, trigger]: Cause[] = [
  { kind: "schedule", id: "s1" },
  { kind: "trigger", id: "s1" },
];
it.each<[string, string | undefined, Cause, allows: boolean, refuses: boolean]>([
  ["everywhere, in a person's turn", undefined, undefined, true, true],
  ["everywhere, in a schedule's turn", undefined, schedule, true, true],
  ["everywhere, in a trigger's turn", undefined, trigger, false, true],
  ["in a trigger's turns, in one of them", "s1", trigger, true, true],
  ["in a schedule's turns, in one of them", "s1", schedule, true, true],
  ["in another's turns, in a trigger's", "s2", trigger, false, false],
  ["in another's turns, in a person's", "s2", undefined, false, false],
])(
  "a decision counts as an always only where its words were vouched for: %s",
  async (_where, within, cause, allows, refuses) => {
    const limits = within === undefined ? {} : { within };
    const { standing } = await decided([always(mia, limits)]);
    const allowed = allowanceFor(standing, binding, { approver: "asker", asker: "ben", cause });
    expect(allowed !== undefined).toBe(allows);
    expect(refusalFor(standing, binding, "ben", cause)).toBeUndefined();
    const refused = await decided([never(mia, limits)]);
    expect(refusalFor(refused.standing, binding, "ben", cause) !== undefined).toBe(refuses);
    expect(
      allowanceFor(refused.standing, binding, { approver: "asker", asker: "ben", cause }),
    ).toBeUndefined();
  },
);

it("the stricter of two refusals counts, and the first of equal ones", async () => {
  const operator = { ...mia, by: "olga", approver: "operator" } as const;
  for (const made of [
    [never(mia), never(operator as never, { only_for: "ben" })],
    [never(operator as never, { only_for: "ben" }), never(mia)],
  ]) {
    const { standing } = await decided(made);
    expect(refusalFor(standing, binding, "ben")?.by).toBe("olga");
  }
  const { standing } = await decided([
    never(mia),
    never({ ...mia, by: "max" } as never, { only_for: "ben" }),
  ]);
  expect(refusalFor(standing, binding, "ben")?.by).toBe("mia");
});

it("a channel keeps its latest two hundred decisions of a verdict, each about something different", async () => {
  const made = Array.from({ length: 205 }, (_, at) =>
    always(mia, { binding: { ...binding, values: { at } } }),
  );
  const { store, standing } = await decided([never(mia, { binding: other }), ...made]);
  expect(standing.map(({ id }) => id)).toEqual([1, ...Array.from({ length: 200 }, (_, at) => at + 7)]);
  await removeStanding(store, general, 1);
  expect(await readStanding(store, general)).toHaveLength(200);
});

it("a decision does not replace those of other people or of another schedule [always-5]", async () => {
  const { standing } = await decided([
    always(mia),
    always(ben),
    always(mia, { within: "s1" }),
    always(mia, { within: "s2" }),
  ]);
  expect(standing).toHaveLength(4);
  expect((await decided([always(mia), always({ ...mia, by: "max" } as never)])).standing).toMatchObject([
    { by: "max" },
  ]);
});
