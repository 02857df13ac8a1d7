import { expect, test } from "vitest";
import {
  type ChannelFacts,
  eligibility,
  type HostFacts,
  isSwitchedOff,
} from "../../../../src/core/skill/eligibility.ts";
import { type Requirements, type Skill, skillMetadataSchema } from "../../../../src/core/skill/skill.ts";

const host: HostFacts = {
  os: "linux",
  hasBin: (name) => name === "git",
  hasEnv: (name, { id }) => name === "TOKEN" || (name === "KEY" && id === "notes"),
  hasConfig: (path) => path === "browser.enabled",
  capabilities: ["search"],
  allowed: ["*"],
  denied: [],
  disabled: [],
  optIn: [],
};

function skill(fields: Partial<Skill> = {}): Skill {
  const metadata = skillMetadataSchema.parse({ id: "notes", name: "Notes", description: "Keeps notes" });
  const origin = { source: "bundled", precedence: 1, path: "/skills/notes" };
  return { ...metadata, kind: "document", origin, hash: "", instructions: "", tools: [], ...fields };
}

const part = skill({ id: "notes#add", parent: "notes" });
const needing = (requires: Partial<Requirements>) =>
  skill({ requires: { bins: [], anyBins: [], env: [], config: [], os: [], ...requires } });

test("a skill without requirements is eligible", () => {
  expect(eligibility(skill(), host)).toEqual([]);
});

test("a skill whose requirements are met is eligible", () => {
  const all = {
    bins: ["git"],
    anyBins: ["hg", "git"],
    env: ["TOKEN", "KEY"],
    config: ["browser.enabled"],
    os: ["linux"],
  };
  expect(eligibility({ ...needing(all), required_capabilities: ["search"] }, host)).toEqual([]);
});

test.each<[string, Skill, string]>([
  ["its own switch", skill({ enabled: false }), "enabled: false in /skills/notes"],
  [
    "another system",
    needing({ os: ["darwin", "win32"] }),
    "works on darwin, win32 only; this machine runs linux",
  ],
  ["a missing program", needing({ bins: ["git", "ffmpeg"] }), "ffmpeg is not on the PATH; install it"],
  ["no program of several", needing({ anyBins: ["rg", "ag"] }), "None of the programs rg, ag"],
  ["a missing variable", needing({ env: ["API_KEY"] }), "API_KEY is not set; set it"],
  ["another skill's variable", { ...needing({ env: ["KEY"] }), id: "other" }, "KEY is not set"],
  ["a missing setting", needing({ config: ["browser.path"] }), "browser.path is missing or off"],
  [
    "a missing capability",
    skill({ required_capabilities: ["search", "image"] }),
    "lacks the capability image",
  ],
  ["what its set-up lacks", skill({ problems: ["Its argument KEY has no value."] }), "KEY has no value"],
  ["an import nobody activated", skill({ kind: "imported", enabled: false }), "active is not true"],
])("the only reason is %s", (_, subject, reason) => {
  expect(eligibility(subject, host)).toEqual([expect.stringContaining(reason)]);
});

test("a skill that is always there needs only its system", () => {
  const always = needing({
    always: true,
    bins: ["ffmpeg"],
    anyBins: ["rg"],
    env: ["API_KEY"],
    config: ["x"],
  });
  expect(eligibility(always, host)).toEqual([]);
  const elsewhere = needing({ always: true, os: ["darwin"], bins: ["ffmpeg"] });
  expect(eligibility(elsewhere, host)).toEqual([expect.stringContaining("works on darwin only")]);
});

test("a skill's hints on installing programs are told with what is missing, for this system", () => {
  const install = [
    { bins: ["ffmpeg"], os: ["darwin"], command: "brew install ffmpeg" },
    { bins: ["ffmpeg"], os: ["linux"], command: "uv tool install ffmpeg" },
    { bins: ["other"], os: [], command: "npm install -g other" },
  ];
  expect(eligibility(needing({ bins: ["ffmpeg"], install }), host)).toEqual([
    expect.stringMatching(/install it on the machine the bot runs on \(uv tool install ffmpeg\)\.$/),
  ]);
});

test("the operator's switch also knows a skill by the name of its settings, but permissions do not", () => {
  const keyed = skill({ settings: { key: "memory" } });
  expect(eligibility(keyed, { ...host, disabled: ["memory"] })).toHaveLength(1);
  expect(eligibility(keyed, { ...host, allowed: ["memory"] })).toHaveLength(1);
});

test.each<[string, Partial<HostFacts>, string]>([
  ["skills.disabled", { disabled: ["notes"] }, "switched it off"],
  ["skills.denied", { denied: ["notes"] }, "denied"],
  ["a denial of everything", { denied: ["*"] }, "denied"],
  ["a list of allowed skills", { allowed: ["memory"] }, "not among the skills the operator allows"],
])("%s excludes a skill and its parts", (_, settings, reason) => {
  expect(eligibility(skill(), { ...host, ...settings })).toEqual([expect.stringContaining(reason)]);
  expect(eligibility(part, { ...host, ...settings })).toEqual([expect.stringContaining(reason)]);
});

test("a denial outweighs an allowance, and a part can be allowed or denied by itself", () => {
  expect(eligibility(skill(), { ...host, allowed: ["notes"], denied: ["notes"] })).toHaveLength(1);
  expect(eligibility(part, { ...host, denied: ["notes#add"] })).toHaveLength(1);
  expect(eligibility(skill(), { ...host, denied: ["notes#add"] })).toEqual([]);
  expect(eligibility(part, { ...host, allowed: ["notes#add"] })).toEqual([]);
});

test.each<[string, ChannelFacts, string]>([
  ["blocked there", { blocked: ["notes"] }, "/skill reset"],
  ["not on the channel's list", { allowed: ["memory"] }, "this channel's list"],
  ["on an empty list", { allowed: [] }, "this channel's list"],
])("a skill is excluded from a channel with its parts when it is %s", (_, channel, reason) => {
  expect(eligibility(skill(), host, channel)).toEqual([expect.stringContaining(reason)]);
  expect(eligibility(part, host, channel)).toEqual([expect.stringContaining(reason)]);
});

test("a channel without a list allows every skill", () => {
  expect(eligibility(skill(), host, { blocked: [], allowed: undefined })).toEqual([]);
});

test("a part without its parent is not eligible", () => {
  expect(eligibility(part, host, { hasSkill: () => false })).toEqual([
    expect.stringContaining("notes, is not there"),
  ]);
  expect(eligibility(part, host, { hasSkill: (id) => id === "notes" })).toEqual([]);
});

test("all reasons why a skill is not eligible are given at once", () => {
  const subject = {
    ...needing({ bins: ["a", "b"], env: ["X"] }),
    enabled: false,
    required_capabilities: ["p", "q"],
  };
  expect(eligibility(subject, { ...host, denied: ["notes"] }, { blocked: ["notes"] })).toHaveLength(7);
});

test.each([{ disabled: ["notes"] }, { denied: ["notes"] }, { allowed: ["other"] }])(
  "a skill and its parts count as switched off with %j",
  (settings) => {
    expect([skill(), part].map((each) => isSwitchedOff(each, { ...host, ...settings }))).toEqual([
      true,
      true,
    ]);
    expect(isSwitchedOff(needing({ bins: ["ffmpeg"] }), host)).toBe(false);
  },
);
