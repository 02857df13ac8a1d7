import { describe, expect, it } from "vitest";
import { createApiClient } from "../../../src/client/api-client.ts";
import { json, send, startServer } from "./start-server.ts";

describe("a decision over the API", () => {
  it("a decision over the API reaches the app as the operator's, with its name", async () => {
    const { url, asked } = await startServer();
    const client = createApiClient({ fetch, baseUrl: url });
    expect(
      (await client.call("approval.decide", { id: "turn-1:1", approve: false, user: "ada" })).decided,
    ).toBe(true);
    const by = { id: "ada", name: "ada", trust: "operator" };
    const refused = { id: "turn-1:1", approve: false, always: false, turn: false, never: false };
    expect(asked).toEqual([{ run: "approval.decide", ...refused, by }]);
    expect((await client.call("approval.decide", { id: "turn-1:2", approve: true })).decided).toBe(false);
    await expect(client.call("approval.decide", { id: "none:1", approve: true })).rejects.toMatchObject({
      status: 404,
    });
  });

  it("a decision over the API has to say what it is", async () => {
    const { url, asked } = await startServer();
    const response = await send(`${url}/api/v1/approvals/turn-1%3A1`, {
      method: "POST",
      headers: json,
      body: "{}",
    });
    expect(response.status).toBe(400);
    expect(asked).toEqual([]);
  });
});

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

describe("the settings of a channel over the API", () => {
  it("the channel settings over the API take a pause and when to reply", async () => {
    const { url, asked } = await startServer();
    const client = createApiClient({ fetch, baseUrl: url });
    await client.call("channel.change", {
      ns: "console:local:dm",
      settings: { paused: true, reply: "always" },
    });
    await client.call("channel.change", { ns: "console:local:dm", settings: { reply: null } });
    expect(asked).toEqual([
      expect.objectContaining({ settings: { paused: true, reply: "always" } }),
      expect.objectContaining({ settings: { reply: null } }),
    ]);
  });
});
