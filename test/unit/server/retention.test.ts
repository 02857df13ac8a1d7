import { expect, it } from "vitest";
import { createApiClient } from "../../../src/client/api-client.ts";
import { startServer } from "./start-server.ts";

const by = { id: "operator", name: "operator", trust: "operator" };

it("retention over the API tells how long things are kept, counts what is old, and deletes only when asked to", async () => {
  const { url, asked } = await startServer();
  const client = createApiClient({ fetch, baseUrl: url });
  expect(await client.call("retention.show", {})).toMatchObject({
    policy: { run_detail_days: "never" },
    from: 5,
  });
  expect(await client.call("retention.run", { dry_run: true })).toMatchObject({
    ran: false,
    counts: { threads: 2 },
  });
  expect(await client.call("retention.run", {})).toMatchObject({ ran: true });
  expect(asked).toEqual([
    { run: "retention.show", by },
    { run: "retention.run", dry_run: true, by },
    { run: "retention.run", dry_run: false, by },
  ]);
});
