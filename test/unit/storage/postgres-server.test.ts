import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { locatePostgres } from "../../../src/storage/postgres/postgres-server.ts";

/** A message of the server, https://www.postgresql.org/docs/current/protocol-message-formats.html. */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const authenticated = message("R", Buffer.alloc(4));
const ready = message("Z", Buffer.from("I"));
const terminated = message("E", Buffer.from("SFATAL\0C57P01\0Mterminating connection\0\0"));

it("a connection that the server ends as soon as it is made is refused, and does not end the process", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(Buffer.concat([authenticated, ready, terminated])));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { connect } = await locatePostgres(`postgresql://knack@127.0.0.1:${port}/knack`, { patienceMs: 0 });
  await expect(connect()).rejects.toMatchObject({ code: "unavailable" });
});
