import { expect, it } from "vitest";
import { StoredOpenings } from "../../../../src/app/turns/openings.ts";
import type { Opening } from "../../../../src/core/log/transcript.ts";
import { type JsonSchema, parseJson } from "../../../../src/core/values/json.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";

it("an opening is the same, byte for byte, after a restart", async () => {
  const store = createMemoryKeyValue();
  const clock = { now: () => 0 };
  // The bounds of 64-bit integers, as tool servers declare them.
  const parameters = parseJson(
    '{"type":"object","properties":{"id":{"type":"integer","maximum":18446744073709551615}}}',
  ) as JsonSchema;
  const told = {
    agent: "",
    place: "",
    skills: {},
    unlisted: [],
    open: [],
    active: {},
    facts: [],
    agents: {},
  };
  const opening: Opening = {
    instructions: "You help.",
    tools: [{ name: "find", description: "Finds.", parameters }],
    told,
  };
  const [name] = await new StoredOpenings(store, clock).put(opening);
  const after = await new StoredOpenings(store, clock).get(name);
  expect(JSON.stringify(after)).toBe(JSON.stringify(opening));
  expect(JSON.stringify(after)).toContain("18446744073709551615");
});

it("an opening that another process deleted is gone here, too, and can be stored again", async () => {
  const [store, clock] = [createMemoryKeyValue(), { now: () => 0 }];
  const told = {
    agent: "",
    place: "Ada Lovelace's",
    skills: {},
    unlisted: [],
    open: [],
    active: {},
    facts: [],
    agents: {},
  };
  const opening: Opening = { instructions: "You help Ada Lovelace.", tools: [], told };
  const [here, elsewhere] = [new StoredOpenings(store, clock), new StoredOpenings(store, clock)];
  const [name] = await here.put(opening);
  expect(await elsewhere.removeNaming(/Ada Lovelace/)).toEqual([name]);
  expect(await here.get(name)).toBeUndefined();
  expect(await here.put(opening)).toEqual([name, opening]);
  expect(await elsewhere.get(name)).toEqual(opening);
});
