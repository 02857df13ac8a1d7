import { describe, expect, it } from "vitest";
import { ExactNumber } from "../../../src/base/exact-number.ts";
import { createApiClient } from "../../../src/client/api-client.ts";
import { startServer } from "./start-server.ts";

async function open() {
  const { url, asked, app } = await startServer();
  return { url, asked, app, client: createApiClient({ fetch, baseUrl: url }) };
}

describe("tool servers", () => {
  it("tool servers give each person their own login over the API", async () => {
    const { client, asked } = await open();
    const input = { name: "mail", user: "ada" };
    expect(await client.call("server.login", input)).toEqual({ url: "https://login.example/mail" });
    expect(await client.call("server.logout", input)).toMatchObject({ state: "needs_login" });
    expect(asked).toMatchObject([{ by: { id: "ada" } }, { by: { id: "ada" } }]);
  });
});

describe("flows", () => {
  it("flows over the API get numbers with all their digits", async () => {
    const { client, asked } = await open();
    const exact = new ExactNumber("1175013331821920257");
    await client.call("flow.run", { id: "Weather report", vars: { order: exact } });
    expect(asked).toMatchObject([{ vars: { order: exact } }]);
  });
});
