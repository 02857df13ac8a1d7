import { parse } from "yaml";
import { oneLine } from "../../base/markdown-text.ts";
import { isRecord } from "../../base/record.ts";
import type { RemoteTool } from "../remote-tool.ts";

/** Where an argument of an operation goes. */
type ArgumentPlace = "path" | "query" | "header" | "cookie" | "body";

/** One operation of a document, as a tool. */
export interface Operation {
  tool: RemoteTool;
  /** In capitals. */
  method: string;
  /** With `{name}` for each path argument. */
  path: string;
  /** The arguments by the names that the tool has for them; `explode` says how a list is written into a query. */
  arguments: Readonly<Record<string, { place: ArgumentPlace; name: string; explode: boolean }>>;
  /** The media type of the body. */
  bodyType: string | undefined;
}

/** What a document says of an API. */
export interface ApiDocument {
  title: string;
  version: string;
  description: string;
  /** The address that paths are below, as the document gives it; undefined if it gives none. */
  server: string | undefined;
  operations: readonly Operation[];
  /** Operations that are left out, and why. */
  leftOut: readonly string[];
}

/** A document that cannot be read. The message is for the operator. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
}

/** Methods of OpenAPI 3.1 and Swagger 2.0; https://spec.openapis.org/oas/v3.1.1.html#path-item-object. */
const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
/** RFC 9110, section 9.2. */
const safe = new Set(["get", "head", "options", "trace"]);
const repeatable = new Set(["put", "delete"]);

/** How deep a schema is written out for the model, and how many references are followed in one: circles and huge models end there. */
const maxDepth = 6;
const maxReferences = 200;

type Fields = Record<string, unknown>;

/** Reads OpenAPI 3 and Swagger 2.0, JSON or YAML. @throws DocumentError */
export function readDocument(text: string): ApiDocument {
  const document = parsed(text);
  const { info = {}, paths } = document;
  const isKnown = /^3\./.test(String(document.openapi)) || String(document.swagger) === "2.0";
  if (!isKnown || !isRecord(paths))
    throw new DocumentError("It is not an OpenAPI 3 or Swagger 2.0 document with paths.");
  const about = isRecord(info) ? info : {};
  const operations: Operation[] = [];
  const leftOut: string[] = [];
  const taken = new Set<string>();
  for (const [path, written] of Object.entries(paths)) {
    const item = resolved(written, document);
    for (const method of isRecord(item) ? methods.filter((name) => isRecord(item[name])) : []) {
      const read = readOperation(document, { path, method, item: item as Fields });
      if (typeof read === "string") leftOut.push(`${method.toUpperCase()} ${path}: ${read}`);
      else operations.push(withOwnName(read, taken));
    }
  }
  return {
    title: oneLine(textOf(about.title), 200),
    version: oneLine(textOf(about.version), 50),
    description: textOf(about.description),
    server: serverOf(document),
    operations,
    leftOut,
  };
}

function parsed(text: string): Fields {
  try {
    // Aliases of YAML could grow without bounds.
    const document: unknown = parse(text, { maxAliasCount: 1_000, logLevel: "error" });
    if (isRecord(document)) return document;
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : "";
    throw new DocumentError(`It is neither JSON nor YAML: ${why}`, { cause: error });
  }
  throw new DocumentError("It is not an OpenAPI document.");
}

function serverOf(document: Fields): string | undefined {
  if (document.swagger !== undefined) {
    if (typeof document.host !== "string") return undefined;
    const [scheme = "https"] = Array.isArray(document.schemes) ? document.schemes.toSorted() : [];
    const secure = Array.isArray(document.schemes) && document.schemes.includes("https") ? "https" : scheme;
    return `${secure}://${document.host}${textOf(document.basePath)}`;
  }
  const [first] = Array.isArray(document.servers) ? (document.servers as unknown[]) : [];
  if (!isRecord(first) || typeof first.url !== "string") return undefined;
  const variables = isRecord(first.variables) ? first.variables : {};
  return first.url.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = variables[name];
    return isRecord(variable) ? textOf(variable.default) : whole;
  });
}

interface Place {
  path: string;
  method: string;
  item: Fields;
}

/** The operation, or why it is left out. */
function readOperation(document: Fields, { path, method, item }: Place): Operation | string {
  const operation = item[method] as Fields;
  const { form, ...input } = readParameters(document, [
    ...listOf(item.parameters),
    ...listOf(operation.parameters),
  ]);
  const body = bodyOf(document, operation, form);
  if (typeof body === "string") return body;
  const hasOldBody = Object.values(input.places).some(({ place }) => place === "body");
  if (body !== undefined)
    add(input, "body", "body", body.schema, { required: body.required, explode: false });
  const { properties, required, places } = input;
  return {
    tool: {
      name: nameOf(operation, method, path),
      description: descriptionOf(operation, method, path),
      inputSchema: {
        type: "object",
        properties: properties as never,
        ...(required.length > 0 ? { required } : {}),
      },
      annotations: {
        readOnlyHint: safe.has(method),
        destructiveHint: method === "delete",
        idempotentHint: repeatable.has(method),
      },
    },
    method: method.toUpperCase(),
    path,
    arguments: places,
    bodyType: body?.type ?? (hasOldBody ? "application/json" : undefined),
  };
}

/** The arguments of an operation, as they are collected. */
interface Input {
  properties: Fields;
  required: string[];
  places: Record<string, Operation["arguments"][string]>;
}

/** An argument with a name of its own: the same name may stand in the path and in the query. */
function add(
  { properties, required, places }: Input,
  name: string,
  place: ArgumentPlace,
  schema: unknown,
  more: { required: boolean; explode: boolean },
): void {
  const own = Object.hasOwn(properties, name) ? `${place}_${name}` : name;
  properties[own] = schema;
  places[own] = { place, name, explode: more.explode };
  if (more.required) required.push(own);
}

const parameterPlaces = ["path", "query", "header", "cookie"] as const;

/** The later of two parameters with one name and place counts. `form`: fields of a form in Swagger 2.0. */
function readParameters(document: Fields, written: readonly unknown[]): Input & { form: Fields[] } {
  const found = written
    .map((each) => resolved(each, document))
    .filter((each): each is Fields => isRecord(each) && typeof each.name === "string");
  const parameters = new Map(found.map((each) => [`${String(each.in)} ${String(each.name)}`, each]));
  const input: Input & { form: Fields[] } = { properties: {}, required: [], places: {}, form: [] };
  for (const parameter of parameters.values()) {
    const name = String(parameter.name);
    const place = parameterPlaces.find((known) => known === parameter.in);
    // Of the account, which the entry's headers hold.
    if (place === "header" && /^(authorization|accept|content-type)$/i.test(name)) continue;
    if (parameter.in === "formData") input.form.push(parameter);
    if (parameter.in === "body")
      add(input, "body", "body", shownSchema(parameter.schema, document), asked(parameter, false));
    if (place !== undefined)
      add(input, name, place, parameterSchema(parameter, document), asked(parameter, place === "path"));
  }
  return input;
}

function asked(parameter: Fields, always: boolean): { required: boolean; explode: boolean } {
  const isList = parameter.collectionFormat === undefined || parameter.collectionFormat === "multi";
  return { required: always || parameter.required === true, explode: parameter.explode !== false && isList };
}

const bodyTypes = ["application/json", "application/x-www-form-urlencoded"];

/** The body as the tool has it; undefined if the operation has none; a text why it cannot be sent. */
function bodyOf(
  document: Fields,
  operation: Fields,
  form: readonly Fields[],
): { type: string; schema: unknown; required: boolean } | string | undefined {
  if (form.length > 0) {
    if (form.some(({ type }) => type === "file")) return "it takes a file, which cannot be sent here.";
    const properties = Object.fromEntries(
      form.map((each) => [String(each.name), parameterSchema(each, document)]),
    );
    const required = form.filter((each) => each.required === true).map((each) => String(each.name));
    const schema = { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
    return { type: "application/x-www-form-urlencoded", schema, required: required.length > 0 };
  }
  const body = resolved(operation.requestBody, document);
  if (!isRecord(body)) return undefined;
  const content = isRecord(body.content) ? body.content : {};
  const offered = Object.keys(content);
  const json = offered.find((type) => /[/+]json\b/i.test(type));
  const type =
    json ??
    bodyTypes.find((known) => offered.includes(known)) ??
    offered.find((each) => /^text\//.test(each));
  if (type === undefined)
    return body.required === true
      ? `it takes ${offered.join(", ") || "a body"}, which cannot be sent here.`
      : undefined;
  const media = content[type];
  const schema = isRecord(media) ? shownSchema(media.schema, document) : {};
  return { type, schema, required: body.required === true };
}

function parameterSchema(parameter: Fields, document: Fields): unknown {
  const { schema, content, description } = parameter;
  const [first] = isRecord(content) ? Object.values(content) : [];
  const inner = schema ?? (isRecord(first) ? first.schema : undefined) ?? swaggerSchema(parameter);
  const schemaShown = shownSchema(inner, document);
  const said = oneLine(textOf(description), 300);
  return said === "" || !isRecord(schemaShown) ? schemaShown : { ...schemaShown, description: said };
}

/** Swagger 2.0 writes the schema of a parameter beside its name. */
function swaggerSchema({ type, format, items, enum: allowed, default: preset }: Fields): Fields {
  const written = Object.entries({ type, format, items, enum: allowed, default: preset });
  return Object.fromEntries(written.filter(([, value]) => value !== undefined));
}

/** Parts of a schema that only validators and documentation read. */
const leftOutKeys = new Set([
  "example",
  "examples",
  "xml",
  "externalDocs",
  "discriminator",
  "deprecated",
  "$schema",
]);

/** A schema with its references written out, as far as a model needs it: what is deeper, or leads in a circle, may be anything. */
function shownSchema(schema: unknown, document: Fields): unknown {
  return shown(schema ?? {}, { document, left: { references: maxReferences } }, 0, []);
}

interface Showing {
  document: Fields;
  left: { references: number };
}

/** @param open the references that are being written out around it */
function shown(value: unknown, showing: Showing, depth: number, open: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => shown(each, showing, depth, open));
  if (!isRecord(value)) return value;
  const { $ref: reference, nullable, ...rest } = value;
  if (typeof reference === "string") {
    const { left, document } = showing;
    left.references -= 1;
    const isOver = open.includes(reference) || depth > maxDepth || left.references < 0;
    const found = isOver ? undefined : lookedUp(reference, document);
    return isRecord(found) ? shown({ ...found, ...rest }, showing, depth, [...open, reference]) : {};
  }
  if (depth > maxDepth) return {};
  const entries = Object.entries(rest)
    .filter(([key]) => !leftOutKeys.has(key) && !key.startsWith("x-"))
    .map(([key, each]) => [key, shown(each, showing, depth + 1, open)] as const);
  const { type } = rest;
  const isNullable = nullable === true && typeof type === "string";
  return { ...Object.fromEntries(entries), ...(isNullable ? { type: [type, "null"] } : {}) };
}

/** The value, or what it refers to within the document. References to other files are not followed. */
function resolved(value: unknown, document: Fields): unknown {
  let found = value;
  for (let hops = 0; isRecord(found) && typeof found.$ref === "string" && hops < 20; hops += 1)
    found = lookedUp(found.$ref, document);
  return found;
}

function lookedUp(reference: string, document: Fields): unknown {
  if (!reference.startsWith("#/")) return undefined;
  return reference
    .slice(2)
    .split("/")
    .map((part) => decoded(part).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (at, part) => (isRecord(at) && Object.hasOwn(at, part) ? at[part] : undefined),
      document,
    );
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** https://modelcontextprotocol.io/specification/2025-11-25/server/tools: letters, digits, `_`, `-` and `.`. */
function nameOf(operation: Fields, method: string, path: string): string {
  const written = textOf(operation.operationId) || `${method}_${path.replace(/^\/|[{}]/g, "")}`;
  return (
    written
      .replace(/[^A-Za-z0-9_-]+/g, "_")
      .replace(/^_+|(?<!_)_+$/g, "")
      .slice(0, 60) || method
  );
}

/** Two operations may have the same name. */
function withOwnName(operation: Operation, taken: Set<string>): Operation {
  let { name } = operation.tool;
  for (let at = 2; taken.has(name); at += 1) name = `${operation.tool.name}_${at}`;
  taken.add(name);
  return { ...operation, tool: { ...operation.tool, name } };
}

function descriptionOf(operation: Fields, method: string, path: string): string {
  const [summary, description] = [textOf(operation.summary).trim(), textOf(operation.description).trim()];
  const said = description.startsWith(summary)
    ? description
    : [summary, description].filter(Boolean).join(". ");
  const old = operation.deprecated === true ? " Deprecated." : "";
  return `${said || `${method.toUpperCase()} ${path}`}${old}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
