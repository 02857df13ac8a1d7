import { expect, it } from "vitest";
import { createApiClient } from "../../../src/client/api-client.ts";
import { startServer } from "./start-server.ts";

const by = { id: "operator", name: "operator", trust: "operator" };

it("tells how long things are kept, counts what is old, and deletes it only when asked to", async () => {
  const { url, asked } = await startServer();
  const client = createApiClient({ fetch, baseUrl: url });
  expect(await client.retention()).toMatchObject({ policy: { run_detail_days: "never" }, from: 5 });
  expect(await client.removeOld({ dryRun: true })).toMatchObject({ ran: false, counts: { threads: 2 } });
  expect(await client.removeOld()).toMatchObject({ ran: true });
  expect(asked).toEqual([
    { retention: { dryRun: true }, by },
    { retention: { dryRun: false }, by },
  ]);
});
