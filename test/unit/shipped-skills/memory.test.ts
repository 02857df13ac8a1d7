import { describe, expect, it } from "vitest";
import { skill } from "../../../skills/memory/skill.ts";
import type { ToolContext } from "../../../src/core/skill/tool.ts";
import type { Json } from "../../../src/core/values/json.ts";
import { validatePackage } from "../../../src/skills/document/validate-package.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";

interface Fact {
  id: number;
  text: string;
  by: string;
  at: string;
  pinned?: boolean;
}
interface Answer {
  summary: string;
  fact?: Fact;
  facts?: Fact[];
  total?: number;
  forgotten?: Fact;
  matches?: Fact[];
}

/** The memory of one channel. */
function createChannel() {
  const store = createMemoryKeyValue();
  const at = Date.UTC(2026, 2, 5, 14, 2);
  const use = async (part: string, input: Record<string, Json>, by = "Ada"): Promise<Answer> => {
    const definition = skill.kind === "parts" ? skill.parts[part] : undefined;
    if (definition === undefined) throw new Error(`no part ${part}`);
    const context = {
      store,
      user: { id: by.toLowerCase(), name: by, trust: "member" },
      now: () => at,
      searchPast: async () => ({ exchanges: [], looked_at: 0 }),
      step: async <T extends Json>(_name: string, work: () => Promise<T> | T) => await work(),
    } as unknown as ToolContext;
    return definition.output.parse(
      await definition.run(definition.parameters.parse(input), context),
    ) as Answer;
  };
  return { store, use };
}

describe("the memory skill", () => {
  it("the memory skill is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/memory")).toEqual({ valid: true, errors: [] });
  });

  it("the memory skill remembers who said what and when, and finds it by other forms of its words", async () => {
    const { use } = createChannel();
    await use("remember", { text: "The deploy is on Friday" });
    await use("remember", { text: "Lunch is at noon" }, "Ben");
    const { facts, total } = await use("recall", { query: "when do we deploying?" });
    expect(facts).toEqual([
      { id: 1, text: "The deploy is on Friday", by: "Ada", at: "2026-03-05 14:02 +00:00" },
    ]);
    expect(total).toBe(2);
  });

  it("the memory skill ranks the fact with more of the words first and knows other scripts and accents", async () => {
    const { use } = createChannel();
    for (const text of [
      "The café opens at 8",
      "The server in Köln runs Postgres 17",
      "The server in Bonn is old",
      "会議は金曜日です",
    ]) {
      await use("remember", { text });
    }
    expect((await use("recall", { query: "server koln" })).facts?.[0]?.text).toContain("Köln");
    expect((await use("recall", { query: "cafe" })).facts).toHaveLength(1);
    expect((await use("recall", { query: "金曜日" })).facts?.[0]?.text).toBe("会議は金曜日です");
  });

  it("the memory skill finds a fact that alone has one of the words, however much better another one fits", async () => {
    const { use } = createChannel();
    const far =
      "The flat that the whole company rents for its long summer meeting each year, with the boats and bicycles, is near the river Rhone";
    await use("remember", { text: "Week end: the week end" });
    await use("remember", { text: far });
    const { facts = [] } = await use("recall", { query: "week end Rhone" });
    expect(facts.map(({ text }) => text)).toEqual(["Week end: the week end", far]);
  });

  it("the memory skill lists pinned facts first, then the newest, without a query or with one that names nothing", async () => {
    const { use } = createChannel();
    await use("remember", { text: "first" });
    await use("remember", { text: "second", pinned: true });
    await use("remember", { text: "third" });
    for (const input of [{}, { query: "what do you know about everything?" }]) {
      expect((await use("recall", input)).facts?.map((fact) => fact.text)).toEqual([
        "second",
        "third",
        "first",
      ]);
    }
    expect((await use("recall", { query: "zebra" })).summary).toContain("none fits");
  });

  it("the memory skill stores a repeated fact once, whatever its case, spaces and full stop", async () => {
    const { use } = createChannel();
    await use("remember", { text: "The deploy is on Friday." });
    const again = await use("remember", { text: " the  deploy is on FRIDAY" });
    expect(again.summary).toContain("Known already as fact 1");
    expect((await use("recall", {})).total).toBe(1);
  });

  it("the memory skill keeps every fact of many that are told at once", async () => {
    const { use } = createChannel();
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        use("remember", { text: `fact number ${index}`, pinned: index < 10 }),
      ),
    );
    const { facts } = await use("recall", { limit: 50 });
    expect(new Set(facts?.map((fact) => fact.id)).size).toBe(50);
  });

  it("the memory skill asks the asker before a fact is pinned, but not before one is remembered [asks-1]", () => {
    const { approval } = skill.kind === "parts" ? (skill.parts.remember ?? {}) : {};
    const asks = (input: Json) => (typeof approval === "function" ? approval(input) : approval);
    expect(asks({ text: "x", pinned: true })).toMatchObject({ approver: "asker" });
    expect(asks({ text: "x", pinned: false })).toBeUndefined();
    expect(asks({ text: "x" })).toBeUndefined();
  });

  it("the memory skill keeps the pinned list for the prompt in step with what is pinned and forgotten", async () => {
    const { store, use } = createChannel();
    await use("remember", { text: "We write British English", pinned: true });
    await use("remember", { text: "The deploy is on Friday" });
    await use("remember", { text: "the deploy is on Friday", pinned: true });
    expect(await store.get("pinned")).toEqual([
      { text: "We write British English", by: expect.any(String), author: "ada" },
      { text: "The deploy is on Friday", by: expect.any(String), author: "ada" },
    ]);
    await use("forget", { query: "British" });
    expect(await store.get("pinned")).toMatchObject([{ text: "The deploy is on Friday" }]);
  });

  it("the memory skill forgets one fact by id, by its words, or by its exact text among similar ones", async () => {
    const { use } = createChannel();
    for (const text of ["Deploy on Friday", "Deploy on Friday at noon", "Lunch at noon"])
      await use("remember", { text });
    expect((await use("forget", { query: "deploy on friday" })).forgotten?.id).toBe(1);
    expect((await use("forget", { query: "deploy" })).forgotten?.id).toBe(2);
    expect((await use("forget", { id: 3 })).forgotten?.text).toBe("Lunch at noon");
    expect((await use("remember", { text: "new" })).fact?.id).toBe(4);
  });

  it("the memory skill forgets nothing and shows the candidates when several fit", async () => {
    const { use } = createChannel();
    for (const text of ["The deploy is on Friday", "The deploy takes an hour"])
      await use("remember", { text });
    const { summary, forgotten, matches } = await use("forget", { query: "the deploy" });
    expect(forgotten).toBeUndefined();
    expect(matches?.map((fact) => fact.id).toSorted()).toEqual([1, 2]);
    expect(summary).toContain("forget fact");
    expect((await use("recall", {})).total).toBe(2);
  });

  it("the memory skill says what is wrong when there is nothing to forget", async () => {
    const { use } = createChannel();
    await expect(use("forget", { id: 9 })).rejects.toMatchObject({ code: "not_found" });
    await expect(use("forget", { query: "zebra" })).rejects.toMatchObject({ code: "not_found" });
    await expect(use("forget", { query: "everything" })).rejects.toMatchObject({ code: "not_found" });
    await expect(use("forget", {})).rejects.toMatchObject({ code: "nothing_named" });
  });

  it("the memory skill stays within 500 facts of 2,000 characters, 20 of them pinned", async () => {
    const { use } = createChannel();
    await expect(use("remember", { text: "x".repeat(2_001) })).rejects.toThrow();
    for (let index = 0; index < 20; index += 1)
      await use("remember", { text: `pinned ${index}`, pinned: true });
    await expect(use("remember", { text: "one more", pinned: true })).rejects.toMatchObject({
      code: "too_many_pinned",
    });
    for (let index = 20; index < 500; index += 1) await use("remember", { text: `fact ${index}` });
    await expect(use("remember", { text: "the 501st" })).rejects.toMatchObject({ code: "memory_full" });
    expect((await use("remember", { text: "fact 499" })).summary).toContain("Known already");
  });

  it("the memory skill may repeat remembering after a crash, but not forgetting by words", () => {
    if (skill.kind !== "parts") throw new Error("parts are expected");
    const { remember, recall, forget } = skill.parts;
    expect([remember?.effect, recall?.effect]).toEqual(["idempotent", "read_only"]);
    const effect = forget?.effect;
    if (typeof effect !== "function") throw new Error("the effect depends on the input");
    expect([effect({ id: 1 }), effect({ query: "deploy" })]).toEqual(["idempotent", "side_effect"]);
  });
});
