import { describe, expect, it } from "vitest";
import type { Layer } from "../../../src/config/layer.ts";
import { replaceSuperseded } from "../../../src/config/load-config.ts";

const layer = (name: string, values: Record<string, unknown>): Layer => ({
  values,
  source: (key) => `${name} ${key.join(".")}`,
  deliberate: true,
});
const valuesOf = (...layers: Layer[]) => replaceSuperseded(layers).layers.map(({ values }) => values);

describe("a setting of an earlier version", () => {
  it.each([
    ["passes its value on", { history_tokens: 30_000 }, { transcript_tokens: 30_000 }],
    ["is raised to the least the new one takes", { history_tokens: 500 }, { transcript_tokens: 2_000 }],
    ["says nothing when it is no number", { history_tokens: "many" }, {}],
    ["says nothing where the new one has another meaning", { turn_tokens: 60_000 }, {}],
    ["passes the room for the list on", { skills_tokens: 700 }, { skill_list_tokens: 700 }],
    ["gives way to the new one", { skills_tokens: 700, skill_list_tokens: 900 }, { skill_list_tokens: 900 }],
    [
      "leaves the others alone",
      { history_tokens: 9_000, message_tokens: 5 },
      { message_tokens: 5, transcript_tokens: 9_000 },
    ],
  ])("a setting of an earlier version %s", (_what, old, now) => {
    expect(valuesOf(layer("file", { prompt: old, name: "Robo" }))).toEqual([{ prompt: now, name: "Robo" }]);
  });

  it("a setting of an earlier version is removed from every layer, and each layer passes its own value on", () => {
    const below = layer("file", { prompt: { skills_tokens: 700 } });
    const above = layer("environment", { prompt: { skills_tokens: 800 } });
    expect(valuesOf(below, above)).toEqual([
      { prompt: { skill_list_tokens: 700 } },
      { prompt: { skill_list_tokens: 800 } },
    ]);
  });

  it("a setting of an earlier version is warned of once, with its place and its replacement", () => {
    const below = layer("file", { prompt: { skills_tokens: 700, history_tokens: 9_000 } });
    const above = layer("environment", { prompt: { skills_tokens: 800 } });
    expect(replaceSuperseded([below, above]).warnings).toEqual([
      "file prompt.history_tokens: prompt.history_tokens is now prompt.transcript_tokens. Its value is used until that one is set.",
      "environment prompt.skills_tokens: prompt.skills_tokens is now prompt.skill_list_tokens. Its value is used until that one is set.",
    ]);
  });

  it("a setting of an earlier version that nobody sets changes nothing", () => {
    const given = [layer("file", { prompt: { transcript_tokens: 9_000 } }), layer("environment", {})];
    expect(replaceSuperseded(given)).toEqual({ layers: given, warnings: [] });
  });

  it("replacing a setting of an earlier version does not change its input", () => {
    const values = { prompt: { skills_tokens: 700 } };
    replaceSuperseded([layer("file", values)]);
    expect(values).toEqual({ prompt: { skills_tokens: 700 } });
  });
});
