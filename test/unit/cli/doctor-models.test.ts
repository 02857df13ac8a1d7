import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { checkModelKeys, checkModelLifetimes, checkOtherWork } from "../../../src/cli/doctor/check-models.ts";
import { configuredModels } from "../../../src/cli/doctor/model-advice.ts";
import { modelSettings } from "../../../src/wiring/app-settings.ts";
import { useConfigFiles } from "../config/config-files.ts";
import { fakeBot } from "./fake-bot.ts";
import { runKnack } from "./run-knack.ts";

const { load, folder } = useConfigFiles();
const env = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" };
const configOf = async (model: string) => (await load(`model: {${model}}\n`, { env })).config;

/** What is said of the models' ends, at noon of a day. */
async function warnings(model: string, day: string) {
  const config = await configOf(model);
  const names = configuredModels(config, []);
  return checkModelLifetimes(names, modelSettings(config), Date.parse(`${day}T12:00:00Z`));
}

it("`knack doctor` reports the models' ends, and the models of other tasks, and fails if one cannot work", async () => {
  const cwd = folder();
  const models = "choice: openai/gpt-5-mini, images: xai/grok-imagine-image";
  await writeFile(path.join(cwd, "own.yaml"), `server: {port: 0}\nmodel: {${models}}\n`);
  const now = () => Date.parse("2026-11-23T12:00:00Z");
  const { code, out } = runKnack(["doctor", "--json", "--config", "own.yaml"], {
    ...{ cwd, now, env, bot: fakeBot({}) },
  });
  expect(await code).toBe(1);
  const { checks } = JSON.parse(out.text()) as { checks: { name: string; status: string }[] };
  const told = checks.map(({ name, status }) => `${name} ${status}`);
  expect(told).toEqual(
    expect.arrayContaining(["model warning", "voice messages ok", "pictures error", "knowledge ok"]),
  );
});

it.each([
  ["61 days before", "2026-09-30", undefined],
  ["60 days before", "2026-10-01", "anthropic/claude-sonnet-4-5 ends on 2026-11-30, in 60 days"],
  ["a day before", "2026-11-29", "anthropic/claude-sonnet-4-5 ends on 2026-11-30, tomorrow"],
  ["on the day", "2026-11-30", "anthropic/claude-sonnet-4-5 ends on 2026-11-30, today"],
  ["a day after", "2026-12-01", "anthropic/claude-sonnet-4-5 ended on 2026-11-30"],
])("the end of a model, %s it (%s), is reported: %s", (_when, day, detail) => {
  const choice = "anthropic/claude-sonnet-4-5";
  const advice = "Use anthropic/claude-sonnet-5-5 instead.";
  const expected = detail === undefined ? [] : [expect.objectContaining({ detail, advice })];
  expect(checkModelLifetimes([choice], { choice }, Date.parse(`${day}T12:00:00Z`))).toEqual(expected);
});

it("the end is reported for each model that takes over", async () => {
  const failover = "failover: [openai/gpt-5-mini, openai/gpt-6.1-terra, anthropic/claude-sonnet-4-5]";
  const found = await warnings(`choice: openai/gpt-5.4-mini, ${failover}`, "2026-11-23");
  expect(found).toMatchObject([
    {
      detail: "openai/gpt-5-mini ends on 2026-12-11, in 18 days",
      advice: "Use openai/gpt-6.1-terra instead.",
    },
    { detail: "anthropic/claude-sonnet-4-5 ends on 2026-11-30, in 7 days" },
  ]);
});

it("the end of a model is the date an operator gives", async () => {
  const mine = "choice: openai/mine, models: {openai/mine: {retires: 2026-12-24}}";
  expect(await warnings(mine, "2026-11-23")).toMatchObject([
    { detail: "openai/mine ends on 2026-12-24, in 31 days", advice: "Use another model instead." },
  ]);
  const later = "choice: openai/gpt-5, models: {openai/gpt-5: {retires: 2028-01-01}}";
  expect(await warnings(later, "2026-11-23")).toEqual([]);
});

it("the end of a model named twice is reported once, and none of a provider that is not set up", () => {
  const names = [
    "nobody/claude-sonnet-4-5",
    "anthropic/claude-sonnet-4-5",
    "anthropic/claude-sonnet-4-5",
    "offline",
  ];
  const found = checkModelLifetimes(names, { choice: "offline" }, Date.UTC(2026, 10, 23));
  expect(found.map(({ detail }) => detail)).toEqual([
    "anthropic/claude-sonnet-4-5 ends on 2026-11-30, in 7 days",
  ]);
});

it.each([
  ["", "ok", "transcribed by openai/gpt-transcribe, $0.0045 a minute"],
  [
    "transcription: openai/gpt-4o-transcribe",
    "ok",
    "transcribed by openai/gpt-4o-transcribe, priced by the token",
  ],
  [
    "transcription: vllm/whisper",
    "ok",
    "transcribed by vllm/whisper, its price is not known, so its cost is not counted",
  ],
  ["transcription: off", "ok", expect.stringMatching(/^off: people are told that they are not transcribed/)],
  ["transcription: groq/whisper-large-v3", "error", "groq/whisper-large-v3 has no key"],
])("the handling of voice messages with %j is reported", async (model, status, detail) => {
  expect(checkOtherWork(await configOf(model))).toContainEqual(
    expect.objectContaining({ name: "voice messages", status, detail }),
  );
});

it.each([
  ["", "ok", expect.stringMatching(/^made by openai\/gpt-image/)],
  ["images: vllm/flux", "ok", "made by vllm/flux"],
  ["images: off", "ok", expect.stringMatching(/^off, except diagrams and charts/)],
  ["images: xai/grok-imagine-image", "error", "xai/grok-imagine-image has no key"],
])("the maker of pictures with %j is reported", async (model, status, detail) => {
  expect(checkOtherWork(await configOf(model))).toContainEqual(
    expect.objectContaining({ name: "pictures", status, detail }),
  );
});

it.each([
  [
    "",
    "ok",
    "documents are found by meaning too, with openai/text-embedding-3-small, $0.02 a million tokens",
  ],
  [
    "embeddings: ollama/nomic-embed-text",
    "ok",
    "documents are found by meaning too, with ollama/nomic-embed-text, its price is not known, so its cost is not counted",
  ],
  ["embeddings: off", "ok", expect.stringMatching(/^semantic search is off: documents/)],
  ["embeddings: mistral/mistral-embed", "error", "mistral/mistral-embed has no key"],
])("the way documents are found with %j is reported", async (model, status, detail) => {
  expect(checkOtherWork(await configOf(model))).toContainEqual(
    expect.objectContaining({ name: "knowledge", status, detail }),
  );
});

it("models that lack the same key are one finding", async () => {
  const config = await configOf("choice: openai/gpt-5-mini");
  expect(await checkModelKeys(config, ["openai/gpt-5-mini", "groq/a", "groq/b"], [])).toEqual([
    { name: "model", status: "ok", detail: "openai/gpt-5-mini: with a key" },
    {
      ...{ name: "model", status: "error", detail: "groq/a, groq/b: no key: GROQ_API_KEY" },
      advice: "Set GROQ_API_KEY, or choose another model with KNACK_MODEL.",
    },
  ]);
});
