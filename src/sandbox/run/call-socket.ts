import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { errorText } from "../../base/error-text.ts";
import { parsedJson } from "../../base/json-reader.ts";
import { isRecord } from "../../base/record.ts";
import type { CallOfCode } from "../../core/skill/programs.ts";
import type { Json } from "../../core/values/json.ts";

/** Maximum bytes of a call. */
const maxCall = 1_000_000;

/** A unix socket on which code in a sandbox calls tools. */
export interface CallSocket {
  socket: string;
  close(): Promise<void>;
}

/**
 * Answers one call for each connection: `{"tool", "input"}` and a line break, then `{"output"}` or `{"error"}`, and the end. The code's part
 * of it is `inside/knack_tools.py` and `inside/knack-tools.mjs`. Paths of sockets are limited to 108 bytes (unix(7)), so the folder is a
 * short one of the system's.
 */
export async function openCallSocket(onCall: CallOfCode): Promise<CallSocket> {
  const folder = await mkdtemp(join(tmpdir(), "knack-calls-"));
  const socket = join(folder, "s");
  const connections = new Set<Socket>();
  const server = createServer((connection) => {
    connections.add(connection);
    connection.once("close", () => connections.delete(connection));
    // The code may end in the middle of a call.
    connection.on("error", () => connection.destroy());
    void answer(connection, onCall);
  });
  server.listen(socket);
  await once(server, "listening");
  // The sandbox has another user; the folder keeps others away.
  await chmod(socket, 0o666);
  return {
    socket,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const connection of connections) connection.destroy();
      await closed;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answer(connection: Socket, onCall: CallOfCode): Promise<void> {
  let bytes = 0;
  connection.on("data", (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
    if (bytes > maxCall) connection.destroy();
  });
  for await (const line of createInterface(connection)) {
    const asked = parsedJson(line);
    const known = isRecord(asked) && typeof asked.tool === "string";
    const given = known ? onCall(asked.tool as string, (asked.input ?? {}) as Json) : undefined;
    const result = await (given ?? Promise.reject(new Error("A call is {tool, input} in JSON."))).then(
      (output) => ({ output }),
      (error: unknown) => ({ error: errorText(error) }),
    );
    connection.end(JSON.stringify(result));
    return;
  }
}
