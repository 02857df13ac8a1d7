import { describe, expect, it } from "vitest";
import { createCatalogueLoader } from "../../../src/core/skill/catalogue.ts";
import type { HostFacts } from "../../../src/core/skill/eligibility.ts";
import { makeOffer } from "../../../src/core/skill/make-offer.ts";
import { namespaceStateSchema } from "../../../src/core/skill/namespace-state.ts";
import type { Skill } from "../../../src/core/skill/skill.ts";
import { createFolderSource } from "../../../src/skills/folder-source.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { skillText, zipOf } from "./build-archives.ts";
import { byAnna, packagePlace, skillNamed, upload } from "./package-place.ts";

const host: HostFacts = {
  ...{ os: "linux", hasBin: () => true, hasEnv: () => true, hasConfig: () => true },
  ...{ capabilities: [], allowed: ["*"], denied: [], disabled: [], optIn: [] },
};

async function offerOf(skill: Skill, state: object) {
  const source = { id: "test", load: async () => ({ skills: [skill], diagnostics: [] }) };
  const catalogue = await createCatalogueLoader([source], () => ({
    add: () => {},
    search: () => [],
  })).current();
  const offer = makeOffer(catalogue, namespaceStateSchema.parse(state), host);
  return { offered: offer.all.get(skill.id), usable: offer.usable.map((each) => each.skill.id) };
}

const origin = { source: "managed", precedence: 3, path: "/skills/greeting" };
const mark = { by: "Anna", at: 1, source: "managed" };

describe("an installed skill", () => {
  const skill = testSkill("greeting", [], { origin, active: true, hash: "new" });

  it("an installed skill is neither active nor usable by itself, whatever its file says or the agent did [package-2]", async () => {
    const fresh = await offerOf(skill, {});
    expect(fresh).toMatchObject({ offered: { state: "available", reasons: [] }, usable: [] });
    const byAgent = await offerOf(skill, { active: { greeting: { ...mark, hash: "new" } } });
    expect(byAgent).toMatchObject({ offered: { state: "available" }, usable: [] });
  });

  it("an installed skill is usable once a person enabled this very version", async () => {
    const enabled = await offerOf(skill, { pinned: { greeting: { ...mark, hash: "new" } } });
    expect(enabled).toMatchObject({ offered: { state: "pinned" }, usable: ["greeting"] });
    expect(enabled.offered?.notice).toBeUndefined();
  });

  it("an installed skill has to be enabled again after an update, and says so", async () => {
    const updated = await offerOf(skill, { pinned: { greeting: { ...mark, hash: "old" } } });
    expect(updated).toMatchObject({ offered: { state: "available" }, usable: [] });
    expect(updated.offered?.notice).toContain("/skill enable greeting");
  });

  it("an installed skill has to be enabled again when it was removed and the same files are installed again", async () => {
    const enabled = { pinned: { greeting: { ...mark, at: 10, hash: "new" } } };
    expect(
      (await offerOf({ ...skill, origin: { ...skill.origin, installed_at: 5 } }, enabled)).usable,
    ).toEqual(["greeting"]);
    const again = await offerOf({ ...skill, origin: { ...skill.origin, installed_at: 20 } }, enabled);
    expect(again).toMatchObject({ offered: { state: "available" }, usable: [] });
    expect(again.offered?.notice).toContain("/skill enable greeting");
  });

  it("an installed skill stays enabled when the same files are installed over it", async () => {
    let now = 100;
    const place = await packagePlace({ clock: { now: () => now } });
    const packages = await place.open();
    const install = async () => {
      await packages.install(upload(zipOf([{ name: "SKILL.md", data: skillText("greeting") }])), byAnna);
      return skillNamed((await packages.verify(await place.load())).skills, "greeting").origin.installed_at;
    };
    expect(await install()).toBe(100);
    now = 200;
    expect(await install()).toBe(100);
    await packages.remove("greeting");
    expect(await install()).toBe(200);
  });

  it("an installed skill inherits nothing from a skill of another source", async () => {
    const state = { pinned: { greeting: { ...mark, source: "workspace", hash: "new" } } };
    expect(await offerOf(skill, state)).toMatchObject({ offered: { state: "available" }, usable: [] });
  });

  it("an installed skill that is enabled and then tampered with cannot be used, through the catalogue", async () => {
    const place = await packagePlace();
    const packages = await place.open();
    await packages.install(upload(zipOf([{ name: "SKILL.md", data: skillText("greeting") }])), byAnna);
    const root = place.folders.skills;
    const folder = createFolderSource({ source: "managed", precedence: 3, root, importModules: false });
    const source = { load: async () => packages.verify(await folder.load()) };
    const before = await source.load();
    expect(await source.load()).toBe(before);
    const skill = skillNamed(before.skills, "greeting");
    const at = skill.origin.installed_at;
    const enabled = { pinned: { greeting: { ...mark, at, hash: skill.hash } } };
    expect((await offerOf(skill, enabled)).usable).toEqual(["greeting"]);
    await place.store.delete("packages:index");
    const after = skillNamed((await source.load()).skills, "greeting");
    const refused = await offerOf(after, enabled);
    expect(refused.usable).toEqual([]);
    expect(refused.offered?.reasons[0]).toMatch(/was not installed/);
    expect(await source.load()).toBe(await source.load());
  });
});
