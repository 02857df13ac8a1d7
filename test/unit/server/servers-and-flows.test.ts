import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../../src/base/exact-number.ts";
import { createApiClient } from "../../../src/client/api-client.ts";
import { startServer } from "./start-server.ts";

async function open() {
  const { url, asked, app } = await startServer();
  return { url, asked, app, client: createApiClient({ fetch, baseUrl: url }) };
}
const by = { id: "operator", name: "operator", trust: "operator" };

describe("tool servers", () => {
  it("tool servers are listed and controlled over the API", async () => {
    const { client, asked } = await open();
    expect(await client.call("server.list", {})).toMatchObject({
      servers: [{ name: "files", state: "stopped" }],
      diagnostics: [],
    });
    expect(await client.call("server.control", { name: "files", action: "restart" })).toMatchObject({
      state: "running",
    });
    expect(asked.at(-1)).toEqual({ run: "server.control", action: "restart", name: "files", by });
    await expect(client.call("server.control", { name: "none", action: "stop" })).rejects.toMatchObject({
      status: 404,
    });
  });

  it("tool servers give each person their own login over the API", async () => {
    const { client, asked } = await open();
    const input = { name: "mail", user: "ada" };
    expect(await client.call("server.login", input)).toEqual({ url: "https://login.example/mail" });
    expect(await client.call("server.logout", input)).toMatchObject({ state: "needs_login" });
    expect(asked).toMatchObject([{ by: { id: "ada" } }, { by: { id: "ada" } }]);
  });

  it("tool servers take no other action over the API", async () => {
    const { url, asked } = await open();
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(`${url}/api/v1/mcp/files/kill`, { method: "POST", headers, body: "{}" });
    expect([response.status, asked]).toEqual([400, []]);
  });
});

describe("flows", () => {
  it("flows over the API get numbers with all their digits", async () => {
    const { client, asked } = await open();
    const exact = new ExactNumber("1175013331821920257");
    await client.call("flow.run", { id: "Weather report", vars: { order: exact } });
    expect(asked).toMatchObject([{ vars: { order: exact } }]);
  });

  it("flows over the API run by name, by text, or dry", async () => {
    const { client, asked } = await open();
    const result = { success: true, results: [], variables: {}, directOutput: null };
    expect(await client.call("flow.run", { id: "Weather report", vars: { city: "Oslo" } })).toEqual(result);
    expect(await client.call("flow.run_text", { flow: "{}", name: "mine.json", dry_run: true })).toEqual(
      result,
    );
    const common = { namespace: "console:local:dm", by };
    expect(asked).toEqual([
      { run: "flow.run", id: "Weather report", vars: { city: "Oslo" }, dry_run: false, ...common },
      { run: "flow.run_text", flow: "{}", name: "mine.json", vars: {}, dry_run: true, ...common },
    ]);
    await expect(client.call("flow.run", { id: "none" })).rejects.toMatchObject({ status: 404 });
    expect(await client.call("flow.list", {})).toEqual({ flows: [], diagnostics: [] });
  });
});

describe("hosts of a skill", () => {
  it("hosts of a skill are granted, and withdrawn one by one or all", async () => {
    const { client, asked } = await open();
    expect(await client.call("skill.grant", { id: "web#read", hosts: ["a.example"] })).toEqual({
      skill_id: "web#read",
      granted: ["a.example"],
    });
    await client.call("skill.revoke", { id: "weather", hosts: ["a.example"] });
    await client.call("skill.revoke", { id: "weather" });
    expect(asked.slice(1)).toEqual([
      { run: "skill.revoke", id: "weather", hosts: ["a.example"], by },
      { run: "skill.revoke", id: "weather", by },
    ]);
    await expect(client.call("skill.grant", { id: "weather", hosts: [] })).rejects.toMatchObject({
      status: 400,
    });
  });
});

describe("the document", () => {
  it("the API document says that a package is sent as JSON or as a form with a file", async () => {
    const { url } = await open();
    const { paths } = JSON.parse(await (await fetch(`${url}/api/v1/openapi.json`)).text());
    const { content } = paths["/api/v1/packages"].post.requestBody;
    expect(content["application/json"].schema.properties.url).toMatchObject({ type: "string" });
    const { file, expected } = content["multipart/form-data"].schema.properties;
    expect([file, expected.type]).toEqual([{ type: "string", format: "binary" }, "string"]);
  });
});
