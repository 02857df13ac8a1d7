import { describe, expect, it } from "vitest";
import {
  hasTrust,
  mayApprove,
  mayManage,
  mayOperate,
  mayStop,
  onBehalfOf,
  type Trust,
} from "../../../../src/core/values/inbound.ts";

const ranks: readonly Trust[] = ["guest", "member", "manager", "operator"];
const person = (trust: Trust, id = "ben") => ({ id, name: id, trust });
const [channel, direct] = ["slack:T1:C1", "slack:T1:dm-U1"];

describe.each(ranks)("a %s", (trust) => {
  const isAtLeast = (least: Trust) => ranks.indexOf(trust) >= ranks.indexOf(least);

  it.each(ranks)("a person has the trust %s, or not, by rank", (least) => {
    expect(hasTrust(person(trust), least)).toBe(isAtLeast(least));
  });

  it("a person manages a channel as its manager, a direct message as a member, and the bot as its operator", () => {
    expect(mayManage(person(trust), channel)).toBe(isAtLeast("manager"));
    expect(mayManage(person(trust), direct)).toBe(isAtLeast("member"));
    expect(mayOperate(person(trust))).toBe(isAtLeast("operator"));
  });

  it("a person stops their own turn, and as a manager everybody's", () => {
    expect(mayStop(person(trust), { author: { id: "ben" }, namespace: channel })).toBe(true);
    const others = { author: { id: "ada" }, namespace: direct };
    expect(mayStop(person(trust), others)).toBe(isAtLeast("manager"));
  });

  it.each([
    ["their own turn", "ben", isAtLeast("member")],
    ["another person's", "ada", isAtLeast("manager")],
  ])("a person approves as the asker, or for them, in %s", (_whose, asker, may) => {
    expect(mayApprove(person(trust), "asker", { author: { id: asker } })).toBe(may);
  });

  it.each(["member", "manager", "operator"] as const)(
    "a person approves by rank alone what needs the rank %s",
    (least) => {
      for (const id of ["ben", "ada"])
        expect(mayApprove(person(trust), least, { author: { id } })).toBe(isAtLeast(least));
    },
  );

  it.each(ranks)("a person who repeats what a %s asked has the lower trust of the two", (asked) => {
    const lower = isAtLeast(asked) ? asked : trust;
    expect(onBehalfOf(person(trust), person(asked, "ada"))).toEqual(person(lower));
    expect(onBehalfOf(person(trust), person(asked))).toEqual(person(trust));
  });
});
