import { expect, it } from "vitest";
import { checkSearch } from "../../../src/cli/doctor/check-models.ts";
import { useConfigFiles } from "../config/config-files.ts";

const { load } = useConfigFiles();
const keys = { ANTHROPIC_API_KEY: "k", BRAVE_API_KEY: "k" };

it.each([
  ["nothing", "{}", {}, "ok", /^Wikipedia alone.*TAVILY_API_KEY/],
  ["keys", "{}", keys, "ok", /^Claude's search, Brave$/],
  ["a list", "{search: {engines: [brave, brave]}}", keys, "ok", /^Brave$/],
  ["off", "{search: {engines: []}}", keys, "ok", /switched off/],
  ["a provider without a search", "{search: {engines: [model]}}", {}, "warning", /^nothing; model is in/],
  [
    "the same beside others",
    "{search: {engines: [model, brave]}}",
    { BRAVE_API_KEY: "k" },
    "warning",
    /^Brave; /,
  ],
])(
  "`knack doctor` says what searches the web, configured with %s",
  async (_what, yaml, env, status, detail) => {
    const { config } = await load(yaml, { env });
    expect(checkSearch(config)).toMatchObject({ status, detail: expect.stringMatching(detail) });
  },
);
