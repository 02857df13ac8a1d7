import { describe, expect, it } from "vitest";
import { TaughtSkills, type TaughtVersion } from "../../../../src/core/skill/taught-skills.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";

const home = "slack:T1:C1";
const somebody = { by: "U1", name: "Ann" };

function version(text: string, made_by: string): Omit<TaughtVersion, "number"> {
  return {
    text,
    hash: `hash of ${text}`,
    why: text,
    asked: somebody,
    accepted: somebody,
    at: 1,
    made_by,
    checks: [],
  };
}

/** Texts that say `broken` make no skill. */
function create() {
  const store = createMemoryKeyValue();
  const reads: string[] = [];
  const taught = new TaughtSkills(store, (id, text, origin) => {
    reads.push(text);
    if (text === "broken") return { ok: false, reason: "It is broken." };
    return { ok: true, skill: testSkill(id, [], { origin, hash: `hash of ${text}` }) };
  });
  return { store, taught, reads };
}

describe("skills that were made in the chat", () => {
  it("a call that is run again after a crash keeps one version", async () => {
    const { taught } = create();
    for (let run = 0; run < 2; run += 1)
      await taught.add("report", home, undefined, version("one", "turn/call"));
    expect(await taught.get("report")).toMatchObject({ current: 1, versions: [{ number: 1, text: "one" }] });
  });

  it("a crash between the text and the index leaves the old one in use, and the next run completes it", async () => {
    const { store, taught } = create();
    await taught.add("report", home, undefined, version("one", "a"));
    const update = store.update.bind(store);
    store.update = async (key, change) => {
      if (key === "taught:index") throw new Error("killed");
      return update(key, change);
    };
    await expect(taught.add("report", home, "hash of one", version("two", "b"))).rejects.toThrow("killed");
    expect((await taught.load()).skills.map(({ hash }) => hash)).toEqual(["hash of one"]);
    store.update = update;
    await taught.add("report", home, "hash of one", version("two", "b"));
    expect((await taught.load()).skills.map(({ hash }) => hash)).toEqual(["hash of two"]);
    expect((await taught.get("report"))?.versions).toHaveLength(2);
  });

  it.each([
    ["somebody else changed it", "report", home, "hash of none"],
    ["it is of another channel", "report", "slack:T1:C2", "hash of one"],
    ["there is one of that name already", "report", home, undefined],
    ["there is none to change", "other", home, "hash of one"],
  ])("nothing is kept if %s", async (_what, id, from, base) => {
    const { taught } = create();
    await taught.add("report", home, undefined, version("one", "a"));
    expect(await taught.add(id, from, base, version("two", "b"))).toBeUndefined();
    expect((await taught.get("report"))?.versions).toHaveLength(1);
    expect(await taught.get("other")).toBeUndefined();
  });

  it("the latest twenty versions are kept, and each can be used again", async () => {
    const { taught } = create();
    for (let at = 1; at <= 25; at += 1)
      await taught.add(
        "report",
        home,
        at === 1 ? undefined : `hash of ${at - 1}`,
        version(String(at), `call ${at}`),
      );
    const numbers = (await taught.get("report"))?.versions.map(({ number }) => number);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, at) => at + 6));
    expect(await taught.restore("report", 5)).toBeUndefined();
    expect(await taught.restore("report", 6)).toMatchObject({ current: 6 });
    expect((await taught.load()).skills.map(({ hash }) => hash)).toEqual(["hash of 6"]);
  });

  it("texts are read again only when they change, and a text that is no skill any more is named", async () => {
    const { taught, reads } = create();
    await taught.add("report", home, undefined, version("one", "a"));
    await taught.add("broken", home, undefined, version("broken", "b"));
    const first = await taught.load();
    expect(first.skills.map(({ id }) => id)).toEqual(["report"]);
    expect(first.diagnostics).toMatchObject([
      { skill_id: "broken", code: "taught_skill", message: "It is broken." },
    ]);
    expect(await taught.load()).toBe(first);
    await taught.share("report", { offered: true, everyone: false });
    expect((await taught.load()).skills[0]?.taught).toMatchObject({
      home,
      offered: true,
      everyone: false,
    });
    expect(reads.filter((text) => text === "broken")).toHaveLength(1);
    await taught.remove("report");
    expect((await taught.load()).skills).toEqual([]);
  });
});
