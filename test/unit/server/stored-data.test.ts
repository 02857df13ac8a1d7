import { describe, expect, it } from "vitest";
import { createApiClient } from "../../../src/client/api-client.ts";
import { send, startServer } from "./start-server.ts";

const operator = { id: "operator", trust: "operator" };

describe("everything of a person over the API", () => {
  it("a person's data over the API is looked up without deleting, and deleted when that is requested", async () => {
    const { url, asked } = await startServer();
    const client = createApiClient({ fetch, baseUrl: url });
    expect(await client.call("person.show", { id: "slack:T1:U1" })).toMatchObject({
      dry_run: true,
      turns: 2,
    });
    expect(await client.call("person.forget", { id: "U1" })).toMatchObject({
      user: "slack:T1:U1",
      dry_run: false,
      complete: true,
    });
    await client.call("person.forget", { id: "U1", leave_posts: "true" });
    const by = expect.objectContaining(operator);
    expect(asked).toEqual([
      { run: "person.show", id: "slack:T1:U1", by },
      { run: "person.forget", id: "U1", leave_posts: "false", by },
      { run: "person.forget", id: "U1", leave_posts: "true", by },
    ]);
    await expect(client.call("person.forget", { id: "nobody" })).rejects.toMatchObject({ status: 404 });
  });

  it("a person's data over the API is refused to a page of another origin", async () => {
    const { url, asked } = await startServer();
    const headers = { Origin: "http://evil.example" };
    for (const [method, path] of [
      ["DELETE", "/people/U1"],
      ["GET", "/people/U1"],
      ["GET", "/export"],
    ] as const) {
      const response = await send(`${url}/api/v1${path}`, { method, headers });
      expect(response.status).toBe(403);
    }
    expect(asked).toEqual([]);
  });
});
