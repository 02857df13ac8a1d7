import { describe, expect, it } from "vitest";
import { createApiClient } from "../../../src/client/api-client.ts";
import { send, startServer } from "./start-server.ts";

describe("deleting a turn over the API", () => {
  it("deleting a turn over the API asks the app for it", async () => {
    const { url, asked, addTurn } = await startServer();
    addTurn("turn-1", "finished");
    const client = createApiClient({ fetch, baseUrl: url });
    await client.call("turn.forget", { id: "turn-1", user: "ada" });
    expect(asked).toEqual([
      { run: "turn.forget", id: "turn-1", by: { id: "ada", name: "ada", trust: "operator" } },
    ]);
    await expect(client.call("turn.forget", { id: "none" })).rejects.toMatchObject({ status: 404 });
  });

  it("deleting a turn is refused to a page of another origin", async () => {
    const { url, asked, addTurn } = await startServer();
    addTurn("turn-1", "finished");
    const headers = { Origin: "http://evil.example" };
    const response = await send(`${url}/api/v1/turns/turn-1`, { method: "DELETE", headers });
    expect(response.status).toBe(403);
    expect(asked).toEqual([]);
  });
});
