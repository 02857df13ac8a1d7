import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { errorText } from "../../base/error-text.ts";
import { parsedJson } from "../../base/json-reader.ts";
import { isRecord } from "../../base/record.ts";
import type { CallOfCode } from "../../core/skill/programs.ts";
import type { Json } from "../../core/values/json.ts";

/** Maximum bytes of a call. */
const maxCall = 1_000_000;

/**
 * Listens on a unix socket on which code in a sandbox calls tools, until the returned function is called. Answers one call for each
 * connection: `{"tool", "input"}` and a line break, then `{"output"}` or `{"error"}`, and the end. The code's part of it is
 * `inside/knack_tools.py` and `inside/knack-tools.mjs`.
 */
export async function openCallSocket(path: string, onCall: CallOfCode): Promise<() => Promise<void>> {
  const connections = new Set<Socket>();
  const server = createServer((connection) => {
    connections.add(connection);
    connection.once("close", () => connections.delete(connection));
    // The code may end in the middle of a call.
    connection.on("error", () => connection.destroy());
    void answer(connection, onCall);
  });
  server.listen(path);
  await once(server, "listening");
  return async () => {
    const closed = once(server, "close");
    server.close();
    for (const connection of connections) connection.destroy();
    await closed;
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
