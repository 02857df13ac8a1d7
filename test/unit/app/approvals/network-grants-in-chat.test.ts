import { describe, expect, it } from "vitest";
import { readHost } from "../../../../src/app/operations/skills/grants.ts";
import type { Author } from "../../../../src/core/values/inbound.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { createTestApp, home } from "../../../support/test-app.ts";

const mia: Author = { id: "mia", name: "Mia", trust: "manager" };
const skills = [testSkill("weather"), testSkill("memory", [{ name: "memory" }])];
const newApp = () => createTestApp(scriptedModel([]), { skills });

describe("what the code of a skill may reach", () => {
  it("a skill's code may reach what operators granted, and people see it where they look", async () => {
    const { ask, app } = newApp();
    const { end } = await ask(
      "/skill grant weather API.Weather.example, *.tiles.example https://x.example/v1",
    );
    expect(end.text).toContain("`api.weather.example`, `*.tiles.example`, `x.example`");
    const granted = ["api.weather.example", "*.tiles.example", "x.example"];
    expect((await app.skills.detail("weather", home.namespace))?.network.granted).toEqual(granted);
    expect((await ask("/skill info weather")).end.text).toContain("may reach `api.weather.example`");
    expect((await ask("/skill revoke weather x.example")).end.text).not.toContain("`x.example`");
    expect((await ask("/skill revoke weather")).end.text).toContain("may reach no host");
    expect((await app.skills.detail("memory", home.namespace))?.network.granted).toEqual([]);
  });

  it("people read who holds the value of a skill's variables", async () => {
    const keys = { WEATHER_KEY: { host: "api.weather.example", header: "Authorization: Bearer {key}" } };
    const env = ["WEATHER_KEY", "REGION"];
    const weather = testSkill("weather", [], { kind: "document" });
    const skill = { ...weather, requires: { ...weather.requires, env, keys } };
    const { ask, app } = createTestApp(scriptedModel([]), { skills: [skill] });
    const { text } = (await ask("/skill info weather")).end;
    expect(text).toContain("puts it into `Authorization` of requests to `api.weather.example`");
    expect(text).toContain("Its code gets the value of `REGION`.");
    expect((await app.skills.detail("weather", home.namespace))?.variables).toEqual([
      { name: "WEATHER_KEY", put_into: keys.WEATHER_KEY },
      { name: "REGION", put_into: undefined },
    ]);
  });

  it("managers cannot grant hosts, nor can people in their own direct message [host-2]", async () => {
    const { ask, app } = newApp();
    for (const namespace of [home.namespace, "slack:T1:dm-mia"]) {
      for (const command of ["grant weather a.example", "revoke weather"]) {
        const { end } = await ask(`/skill ${command}`, { by: mia, namespace });
        expect(end).toMatchObject({ outcome: "failed", private: true });
      }
    }
    expect((await app.skills.detail("weather", home.namespace))?.network.granted).toEqual([]);
  });

  it("nothing is granted when one of the hosts is invalid", async () => {
    const { ask, app } = newApp();
    const { end } = await ask("/skill grant weather a.example b.example/path");
    expect(end.text).toContain("`b.example/path` is not a host");
    expect((await ask("/skill grant wether a.example")).end.text).toContain("Did you mean weather?");
    expect((await app.skills.detail("weather", home.namespace))?.network.granted).toEqual([]);
  });
});

describe("a host", () => {
  it.each([
    ["Example.COM", "example.com"],
    ["example.com.", "example.com"],
    ["*.example.com", "*.example.com"],
    ["*", "*"],
    ["https://api.example.com/v1?x=1", "api.example.com"],
    ["http://api.example.com:80/", "api.example.com"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["127.0.0.1", "127.0.0.1"],
    ["2130706433", "127.0.0.1"],
    ["Example.com:8080", "example.com:8080"],
    ["https://example.com:8080/v1", "example.com:8080"],
    ["example.com:443", "example.com"],
  ])("a host is read from %s", (text, host) => {
    expect(readHost(text)).toBe(host);
  });

  it.each([
    "",
    "a b",
    "example.com:99999",
    "example.com:",
    ":8080",
    "*.example.com:8080",
    "example.com/path",
    "user@example.com",
    "https://user@example.com",
    "*.*.example.com",
    "ex*mple.com",
    "*example.com",
    "exa%6dple.com",
    "-.example",
    "[::1]",
  ])("no host is read from %j", (text) => {
    expect(readHost(text)).toBeUndefined();
  });
});
