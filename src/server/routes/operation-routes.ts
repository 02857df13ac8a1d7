import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { CommandFile, Operation } from "../../app/operations/operation.ts";
import { allOperations, type OperationName, operationRoutes } from "../../app/operations/table.ts";
import { closed, consoleNamespace } from "../../app/services/shapes.ts";
import type { Outcome } from "../../core/values/failure.ts";
import { requireOwnMachine, type Security } from "../access.ts";
import { apiAuthor } from "../api-author.ts";
import type { ServerDependencies } from "../dependencies.ts";
import { resultOf } from "../http-problem.ts";
import { answers, jsonBody } from "./route-parts.ts";

type Method = "get" | "post" | "put" | "delete";
type Http = NonNullable<Operation["http"]>;

const list = createRoute({
  method: "get",
  path: "/operations",
  summary: "The routes of operations by name, for clients",
  responses: answers(z.object({ operations: z.record(z.string(), z.string()) }), "method and path by name"),
});

/** Paths that accept a form. */
export const formPaths: readonly string[] = allOperations.flatMap(({ http }) =>
  http?.form === undefined ? [] : [`/api/v1${pathOf(http)}`],
);

/** Adds the routes of operations. Input in braces comes from the path, the rest from the query or the body. */
export function addOperationRoutes(
  server: OpenAPIHono,
  dependencies: ServerDependencies,
  security: Security,
  operations: readonly Operation[] = allOperations,
): void {
  server.openapi(list, (context) => context.json({ operations: operationRoutes }, 200));
  for (const operation of operations.toSorted((one, other) => placeholders(one) - placeholders(other))) {
    if (operation.http !== undefined) addRoute(server, operation, operation.http, dependencies, security);
  }
}

/** The number of placeholders in a path. The first matching route answers, so `/mcp/{name}/login` comes before `/mcp/{name}/{action}`. */
function placeholders({ http }: Operation): number {
  return http?.route.match(/\{/g)?.length ?? 0;
}

function addRoute(
  server: OpenAPIHono,
  { input: shape, output, name }: Operation,
  http: Http,
  dependencies: ServerDependencies,
  security: Security,
): void {
  const { route, summary, answers: carries, ownMachine = [] } = http;
  const method = route.split(" ", 1)[0]?.toLowerCase() as Method;
  const request = requestOf(shape, http, method);
  const responses = answers(output, carries);
  const definition = createRoute({ method, path: pathOf(http), summary, request, responses });
  server.openapi(definition, async (context: Context) => {
    const { user = "operator", ...given } = validIn(context, request);
    const input = Object.fromEntries(Object.entries(given).filter(([, value]) => !(value instanceof File)));
    if (ownMachine.some((key) => input[key] !== undefined)) requireOwnMachine(context, security);
    const { ns, namespace = ns } = input as { ns?: string; namespace?: string };
    const by = apiAuthor(String(user), dependencies, namespace);
    const asker = { by, namespace: namespace ?? consoleNamespace };
    const call = { input, asker, signal: context.req.raw.signal, files: filesIn(given) };
    // `name` is in the table of operations; its type is not known here.
    const outcome: Outcome<unknown> = await dependencies.app.run(name as OperationName, call as never);
    const value = resultOf(outcome) as object;
    const isLines = http.lines === true && context.req.header("accept")?.includes(jsonLines) === true;
    // The types of the router know JSON answers alone.
    return isLines ? (linesIn(context, value as PageOfLines) as never) : context.json(value, 200);
  });
}

const jsonLines = "application/x-ndjson";

interface PageOfLines {
  lines: readonly object[];
  next: string;
}

/** JSON lines. The cursor of the next page is a header. */
function linesIn(context: Context, { lines, next }: PageOfLines): Response {
  const text = lines.map((each) => `${JSON.stringify(each)}\n`).join("");
  return context.body(text, 200, { "Content-Type": jsonLines, "Knack-Next": next });
}

function pathOf({ route }: Http): string {
  return route.split(" ")[1] ?? "";
}

/** The name of the caller. */
const user = z.string().min(1).max(200).default("operator");

/** The parts of the request, and where each is sent. */
function requestOf(input: z.ZodObject, http: Http, method: Method) {
  const keys = [...pathOf(http).matchAll(/\{(\w+)\}/g)].map(([, key = ""]) => key);
  const inPath = Object.fromEntries(keys.map((key) => [key, true]));
  const rest = z.object(input.omit(inPath as never).shape);
  const sent = method === "get" ? rest : rest.extend({ user });
  const params = keys.length > 0 ? { params: z.object(input.pick(inPath as never).shape) } : {};
  return { ...params, ...sentAs(sent, http, method) };
}

function sentAs(sent: z.ZodObject, { form }: Http, method: Method) {
  if (method === "post" || method === "put") {
    const json = jsonBody(closed(sent));
    if (form === undefined) return { body: json };
    const schema = closed(form.extend({ user }));
    return { body: { content: { ...json.content, "multipart/form-data": { schema } } } };
  }
  return Object.keys(sent.shape).length === 0 ? {} : { query: sent };
}

/** The validated input of a route. Of JSON and form, the one that was not sent is empty. */
function validIn({ req }: Context, { body }: ReturnType<typeof requestOf>): Record<string, unknown> {
  const valid = (target: "param" | "query" | "json" | "form") =>
    (req.valid as (of: string) => object | undefined)(target);
  const sent = body === undefined ? valid("query") : { ...valid("json"), ...valid("form") };
  return { ...sent, ...valid("param") };
}

function filesIn(given: Record<string, unknown>): CommandFile[] {
  const files = Object.values(given).filter((value) => value instanceof File);
  // In memory already, up to the limit of forms.
  const read = (file: File) => async () => new Uint8Array(await file.arrayBuffer());
  return files.map((file) => ({ name: file.name, bytes: file.size, read: read(file) }));
}
