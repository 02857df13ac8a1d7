import { readFile } from "node:fs/promises";
import type { Transport } from "@modelcontextprotocol/client";
import { decodeText, looseText, namedCharset, textIn } from "../../base/decode-text.ts";
import { errorText } from "../../base/error-text.ts";
import { beginningOf, oneLine } from "../../base/markdown-text.ts";
import { readAtMost } from "../../base/read-at-most.ts";
import type { Web } from "../../core/ports/web.ts";
import type { Target } from "../server-config.ts";
import { ServerFailure } from "../server-failure.ts";
import { requestFor } from "./call-operation.ts";
import { type ApiDocument, type Operation, readDocument } from "./read-document.ts";

type OpenApiTarget = Extract<Target, { type: "openapi" }>;

/** Of the document, and of an answer, bytes. */
const maxDocument = 20_000_000;
const maxAnswer = 5_000_000;

/** Of what the server of an API says of an error, characters. */
const maxComplaint = 4_000;

/** Time for the document, ms. */
const documentMs = 30_000;

export interface OpenApiDeps {
  /** Reaches public addresses only: the document names its server, and nobody here chose that. */
  web: Pick<Web, "fetch">;
  version: string;
  signal: AbortSignal;
}

/**
 * A session with an API that an OpenAPI document describes: to the client it is a tool server in this process, with a tool for each
 * operation. Read methods are hinted as read-only. @throws ServerFailure if the document cannot be used
 */
export async function createOpenApiTransport(target: OpenApiTarget, deps: OpenApiDeps): Promise<Transport> {
  const [{ Server }, { InMemoryTransport }, types] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/index.js"),
    import("@modelcontextprotocol/sdk/inMemory.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  const document = await loadDocument(target, deps.signal);
  const base = baseOf(target, document);
  const operations = new Map(document.operations.map((operation) => [operation.tool.name, operation]));
  const server = new Server(
    { name: document.title || "api", version: document.version || "1" },
    { capabilities: { tools: {} }, instructions: instructionsOf(document) },
  );
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({
    tools: document.operations.map(({ tool }) => tool) as never,
  }));
  server.setRequestHandler(types.CallToolRequestSchema, async ({ params }, { signal }) => {
    const operation = operations.get(params.name);
    if (operation === undefined) throw new Error(`There is no operation ${params.name}.`);
    return await call(operation, params.arguments ?? {}, { ...deps, target, base, signal });
  });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  return here as Transport;
}

async function loadDocument({ document, headers }: OpenApiTarget, signal: AbortSignal): Promise<ApiDocument> {
  try {
    const read = readDocument(
      /^https?:/.test(document) ? await fetched(document, headers, signal) : await fromFile(document),
    );
    if (read.operations.length > 0) return read;
  } catch (error) {
    throw new ServerFailure("unreachable", `${document} cannot be used: ${errorText(error)}`, error);
  }
  throw new ServerFailure("unreachable", `${document} describes no operation that can be called here.`);
}

async function fromFile(path: string): Promise<string> {
  const bytes = await readFile(path);
  if (bytes.byteLength > maxDocument) throw tooLarge(maxDocument);
  return looseText(bytes);
}

/** The operator chose the address of the document, so it may be private. Headers go nowhere else. */
async function fetched(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const redirect = Object.keys(headers).length === 0 ? "follow" : "manual";
  const response = await fetch(url, {
    headers,
    redirect,
    signal: AbortSignal.any([signal, AbortSignal.timeout(documentMs)]),
  });
  const leadsTo = response.headers.get("location");
  if (response.status >= 300 && response.status < 400 && leadsTo !== null)
    throw new Error(`it leads to ${leadsTo}. Name that address in the entry.`);
  if (!response.ok) throw new Error(`it was answered with ${response.status}.`);
  return looseText(await readAtMost(response.body, maxDocument, () => tooLarge(maxDocument)));
}

function tooLarge(most: number): Error {
  return new Error(`it is larger than ${most / 1_000_000} MB.`);
}

/**
 * @throws ServerFailure if neither the entry nor the document says where the API is, or if only the document says that the headers of the
 * entry belong to a host
 */
function baseOf({ base, document, headers }: OpenApiTarget, { server }: ApiDocument): string {
  const written = base ?? server ?? "";
  const isUrl = /^https?:/.test(document);
  const address = URL.canParse(written)
    ? written
    : isUrl && URL.canParse(written, document)
      ? new URL(written, document).href
      : "";
  if (!/^https?:\/\//.test(address) || /[{}]/.test(address))
    throw new ServerFailure(
      "unreachable",
      `${document} does not say where its API is. Set url in the entry.`,
    );
  const isChosen = base !== undefined || (isUrl && new URL(address).origin === new URL(document).origin);
  if (isChosen || Object.keys(headers).length === 0) return address;
  const message = `${document} says that its API is at ${address}. If the headers of the entry belong there, set url to it.`;
  throw new ServerFailure("unreachable", message);
}

function instructionsOf({ title, description, leftOut }: ApiDocument): string {
  const left = leftOut.length === 0 ? [] : [`Not available here: ${leftOut.slice(0, 20).join(" ")}`];
  return [title === "" ? "" : `${title}.`, beginningOf(description, 4_000), ...left]
    .filter(Boolean)
    .join("\n\n");
}

async function call(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  { target, base, web, signal }: OpenApiDeps & { target: OpenApiTarget; base: string },
) {
  const failed = (message: string) => ({
    content: [{ type: "text" as const, text: message }],
    isError: true,
  });
  try {
    const request = requestFor(operation, input, base, target.headers);
    const { status, body, file } = await (target.base === undefined
      ? publicly(web, request, signal)
      : directly(request, signal));
    const text = body.trim() === "" ? `${operation.method} was answered with ${status}.` : body;
    if (status >= 300) return failed(`The API answered ${status}: ${oneLine(text, maxComplaint)}`);
    if (file !== undefined)
      return { content: [{ type: "resource" as const, resource: { uri: request.url, ...file } }] };
    return { content: [{ type: "text" as const, text }] };
  } catch (error) {
    if (signal.aborted) throw error;
    return failed(errorText(error));
  }
}

/** `file`: an answer that is not text. */
type Answer = { status: number; body: string; file?: { mimeType: string; blob: string } };
type Request = ReturnType<typeof requestFor>;

/** Follows no redirect to another host: it would get the account of the entry. */
async function publicly(
  web: OpenApiDeps["web"],
  { url, ...request }: Request,
  signal: AbortSignal,
): Promise<Answer> {
  const mayFollow = async ({ from, to }: { from: string; to: string }) =>
    new URL(from).host === new URL(to).host;
  return await web.fetch(url, { ...request, signal, mayFollow });
}

async function directly({ url, ...request }: Request, signal: AbortSignal): Promise<Answer> {
  const response = await fetch(url, { ...request, signal, redirect: "manual" });
  const bytes = await readAtMost(response.body, maxAnswer, () => tooLarge(maxAnswer));
  const type = response.headers.get("content-type") ?? "";
  const text = textIn(bytes, namedCharset(type) ?? "") ?? decodeText(bytes)?.text;
  if (text !== undefined) return { status: response.status, body: text };
  const file = { mimeType: type, blob: Buffer.from(bytes).toString("base64") };
  return { status: response.status, body: `${bytes.byteLength} bytes, which are not text`, file };
}
