import { expect, it } from "vitest";
import { createAdHocFlows } from "../../../src/flows/ad-hoc-flows.ts";
import { createFlowSource } from "../../../src/flows/flow-source.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { createTestApp } from "../../support/test-app.ts";
import { temporaryFolder } from "../skills/temporary-folder.ts";
import { start } from "./flow-app.ts";

const text = (more: object = {}) =>
  JSON.stringify({ name: "Weather", steps: [start([{ name: "a" }])], ...more });

it("a flow from a file is run by its id, next to one of the same name, and unknown to models", async () => {
  const folder = temporaryFolder({ "weather.json": text() });
  const { source, add } = createAdHocFlows();
  const model = scriptedModel(["Hi."]);
  const flows = createFlowSource({ source: "workspace", precedence: 4, root: folder });
  const app = createTestApp(model, { sources: [flows, source] });
  const added = await add(text({ active: false, description: "Tried out." }), "/home/ada/weather.json");
  expect(added).toEqual({ ok: true, id: expect.stringMatching(/^weather_[0-9a-f]{8}$/) });
  const id = added.ok ? added.id : "";
  expect((await app.ask(`/flow run ${id} a=1`)).end.output).toMatchObject({
    output: { variables: { a: "1" } },
  });
  expect((await app.ask("/flow run weather a=2")).end.output).toMatchObject({ skill_id: "weather" });
  await app.ask("hello");
  expect(JSON.stringify(model.requests)).not.toContain("Tried out.");
});

it("the same text has the same id, and of many texts the oldest are forgotten", async () => {
  const { source, add } = createAdHocFlows();
  const first = await add(text(), "weather.json");
  expect(await add(text(), "other.json")).toEqual(first);
  for (let at = 0; at < 25; at += 1) await add(text({ description: `Number ${at}` }), "weather.json");
  const { skills } = await source.load();
  expect(skills).toHaveLength(20);
  expect(skills.at(-1)?.description).toBe("Number 24");
});

it("a flow from a file is found by other processes, too, and the oldest ones are forgotten there", async () => {
  const store = createMemoryKeyValue();
  const [here, elsewhere] = [createAdHocFlows({}, store), createAdHocFlows({}, store)];
  const idsOf = async ({ source }: typeof here) => (await source.load()).skills.map(({ id }) => id);
  const first = await here.add(text(), "weather.json");
  expect(await idsOf(elsewhere)).toEqual([first.ok && first.id]);
  for (let at = 0; at < 20; at += 1)
    await elsewhere.add(text({ description: `Number ${at}` }), "weather.json");
  expect((await idsOf(here)).toSorted()).toEqual((await idsOf(elsewhere)).toSorted());
  expect(await idsOf(createAdHocFlows({}, store))).not.toContain(first.ok && first.id);
  expect(await Array.fromAsync(store.keys(""))).toHaveLength(21);
});

it("text that is not a flow is refused with the reason", async () => {
  const { source, add } = createAdHocFlows();
  expect(await add("{", "a.json")).toMatchObject({ ok: false });
  expect(await add(text({ steps: [{ type: "readFile" }] }), "a.json")).toEqual({
    ok: false,
    reason: expect.stringContaining("Step 1 is a readFile block"),
  });
  expect(await add(" ".repeat(1_000_001), "a.json")).toEqual({
    ok: false,
    reason: "It is larger than 1000000 bytes.",
  });
  expect((await source.load()).skills).toEqual([]);
});
