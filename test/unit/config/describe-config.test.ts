import { expect, it } from "vitest";
import { describeConfig } from "../../../src/config/config-keys.ts";
import { configSchema } from "../../../src/config/schema.ts";
import { unknownSkillSettings } from "../../../src/config/settings-without-effect.ts";

const config = configSchema.parse({
  server: { token: "s3cret-token-of-20-chars" },
  model: { openai: { api_key: "sk-s3cret" } },
  slack: { api_url: "http://me:s3cret@localhost:1/api/" },
  skills: {
    env: { weather: { API_KEY: "s3cret" } },
    denied: ["memroy", "mcp_crm#delete"],
    disabled: ["memory"],
    execution: { allow_weak: ["wether"] },
  },
});

it("the configuration listing shows no secret, and says which are set", () => {
  const listing = describeConfig(config, { "server.token": "environment KNACK_API_TOKEN" });
  expect(JSON.stringify(listing)).not.toContain("s3cret");
  const value = (key: string) => listing.find((line) => line.key === key);
  expect(value("server.token")).toMatchObject({ value: "••••••", source: "environment KNACK_API_TOKEN" });
  expect(value("model.anthropic.api_key")).toMatchObject({ value: null, source: "default" });
  expect(value("skills.env")?.value).toEqual({ weather: { API_KEY: "••••••" } });
  expect(value("slack.api_url")?.value).toBe("http://••••••@localhost:1/api/");
});

it("the configuration check finds settings for skills that do not exist", () => {
  const ids = ["memory", "text-analyzer", "mcp_crm"];
  expect(unknownSkillSettings(config, ids, [])).toMatchObject([
    { key: "skills.denied", hint: "Did you mean memory?" },
    { key: "skills.env", message: "has no effect: there is no skill weather" },
    { key: "skills.execution.allow_weak", message: "has no effect: there is no skill wether" },
  ]);
  expect(unknownSkillSettings(config, ids, ["weather"])).toMatchObject([
    { key: "skills.denied" },
    { key: "skills.execution.allow_weak" },
  ]);
});
