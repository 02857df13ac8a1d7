import { expect, it } from "vitest";
import { events, openForeign, resultFor } from "./foreign-server.ts";

const lost = { status: "error", code: "server_lost", message: expect.stringContaining("not known") };

it.each([
  ["goes on where the server gave it an id", true, { status: "ok", output: "hello" }],
  ["is lost when the server does not take it up", false, lost],
])("a stream that breaks off %s", async (_what, resumes, expected) => {
  let call: number | undefined;
  const { bench } = await openForeign({
    answer(response, id, lastEventId) {
      if (lastEventId === undefined) {
        call = id;
        response.writeHead(200, events).end("retry: 0\nid: 1\ndata:\n\n");
      } else if (resumes) response.writeHead(200, events).end(`id: 2\ndata: ${resultFor(call)}\n\n`);
      else response.writeHead(405).end();
    },
  });
  expect(await bench.call("web", "ping")).toMatchObject(expected);
});
