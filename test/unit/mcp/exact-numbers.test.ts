import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";
import { ExactNumber } from "../../../src/base/exact-number.ts";
import { parseJson } from "../../../src/core/values/json.ts";
import { openBench } from "../../support/skills/mcp-bench.ts";
import { startServer } from "../net/local-server.ts";
import { temporaryFolder } from "../skills/temporary-folder.ts";

/** A server's answers as it writes them: its own text, as a program without doubles would. */
const program = `
function answerTo(line) {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return undefined;
  const result = {
    initialize: '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}',
    "tools/list": '{"tools":[{"name":"get","inputSchema":{"type":"object","properties":{"id":{"type":"integer","maximum":9223372036854775807},"big":{"type":"number"}},"required":["id"]}}]}',
    "tools/call": '{"content":[{"type":"text","text":"-"}],"structuredContent":{"got":' + /"arguments":([^}]*})/.exec(line)?.[1] + "}}",
  }[method] ?? "{}";
  const isMissing = line.includes('"id":404}');
  if (isMissing) return '{"jsonrpc":"2.0","id":' + id + ',"error":{"code":-1,"message":"no","data":{"instead":1175013331821920257}}}';
  return '{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":' + result + "}";
}`;
const answerTo = new Function(`${program} return answerTo;`)() as (line: string) => string | undefined;

const sent = parseJson('{"id":1175013331821920257,"big":[1e400,0.1000000000000000055]}');
const checked = parseJson('{"id":1175013331821920257,"big":1e400}');

async function httpServer(form: "json" | "events"): Promise<string> {
  const server = await startServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    const answer = answerTo(await text(request));
    if (answer === undefined) return void response.writeHead(202).end();
    response.setHeader("content-type", form === "json" ? "application/json" : "text/event-stream");
    if (form === "json") return void response.end(answer);
    // The number is cut between two pieces.
    const event = `id: 1175013331821920257\ndata: ${answer}\n\n`;
    const middle = event.indexOf("33318", 30);
    response.write(event.slice(0, middle));
    response.end(event.slice(middle));
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server.origin;
}

function stdioServer() {
  const folder = temporaryFolder({
    "server.mjs": `${program}
import { createInterface } from "node:readline";
process.stdout.write("\\ufeff");
createInterface({ input: process.stdin }).on("line", (line) => {
  const answer = answerTo(line);
  if (answer !== undefined) process.stdout.write(answer + "\\n");
});`,
  });
  return { command: process.execPath, args: [`${folder}/server.mjs`] };
}

it.each([
  ["on standard streams", async () => stdioServer()],
  ["in JSON", async () => ({ url: await httpServer("json") })],
  ["in events", async () => ({ url: await httpServer("events") })],
])("a server gets and answers numbers with all their digits: %s", async (_form, entry) => {
  const bench = await openBench({ s: await entry() });
  onTestFinished(() => bench.close());
  await bench.servers.start("s");
  const tool = await bench.tool("s", "get");
  expect(await tool.validate(checked)).toEqual({ ok: true, value: checked });
  const result = await bench.call("s", "get", sent);
  expect(result).toMatchObject({ status: "ok", output: { got: sent } });
  expect(result).toMatchObject({ output: { got: { id: new ExactNumber("1175013331821920257") } } });
  expect(await bench.call("s", "get", { id: 404 })).toMatchObject({
    message: expect.stringContaining('({"instead":1175013331821920257})'),
  });
});

it("the numbers of a schema stay numbers", async () => {
  const bench = await openBench({ s: stdioServer() });
  onTestFinished(() => bench.close());
  await bench.servers.start("s");
  const tool = await bench.tool("s", "get");
  expect(tool.parameters).toMatchObject({ properties: { id: { maximum: 2 ** 63 } } });
});
