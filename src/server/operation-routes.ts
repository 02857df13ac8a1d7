import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Operation } from "../app/operations/operation.ts";
import { allOperations, type OperationName, operationRoutes } from "../app/operations/table.ts";
import type { Outcome } from "../core/outcome.ts";
import { apiAuthor } from "./api-author.ts";
import type { ServerDependencies } from "./dependencies.ts";
import { resultOf } from "./http-problem.ts";
import { answers, consoleNamespace, jsonBody } from "./routes/route-parts.ts";

type Method = "get" | "post" | "put" | "delete";
type Http = NonNullable<Operation["http"]>;

const list = createRoute({
  method: "get",
  path: "/operations",
  summary: "The routes of operations by name, for clients",
  responses: answers(z.object({ operations: z.record(z.string(), z.string()) }), "method and path by name"),
});

/** The routes of operations: what is in braces comes from the path, the rest from the query or the JSON body. */
export function addOperationRoutes(
  server: OpenAPIHono,
  dependencies: ServerDependencies,
  operations: readonly Operation[] = allOperations,
): void {
  server.openapi(list, (context) => context.json({ operations: operationRoutes }, 200));
  for (const operation of operations.toSorted((one, other) => placeholders(one) - placeholders(other))) {
    if (operation.http !== undefined) addRoute(server, operation, operation.http, dependencies);
  }
}

/** How much of the path is given by the caller. The first route that matches answers, so `/mcp/{name}/login` comes before `/mcp/{name}/{action}`. */
function placeholders({ http }: Operation): number {
  return http?.route.match(/\{/g)?.length ?? 0;
}

function addRoute(
  server: OpenAPIHono,
  operation: Operation,
  { route, summary, answers: carries }: Http,
  dependencies: ServerDependencies,
): void {
  const { input, output, name } = operation;
  const [verb = "", path = ""] = route.split(" ");
  const method = verb.toLowerCase() as Method;
  const inPath = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, key = ""]) => [key, true]));
  const rest = z.object(input.omit(inPath as never).shape);
  const sent = method === "get" ? rest : rest.extend({ user });
  const hasBody = method === "post" || method === "put";
  const request = {
    ...(Object.keys(inPath).length === 0 ? {} : { params: z.object(input.pick(inPath as never).shape) }),
    ...(hasBody ? { body: jsonBody(sent.strict()) } : {}),
    ...(hasBody || Object.keys(sent.shape).length === 0 ? {} : { query: sent }),
  };
  const definition = createRoute({ method, path, summary, request, responses: answers(output, carries) });
  server.openapi(definition, async (context: Context) => {
    const given = validIn(context, hasBody);
    const { user = "operator", ...input } = given;
    const { ns, namespace = ns } = input as { ns?: string; namespace?: string };
    const by = apiAuthor(String(user), dependencies, namespace);
    const asker = { by, namespace: namespace ?? consoleNamespace };
    const call = { input, asker, signal: context.req.raw.signal };
    // The names of the table, whose types are not known here.
    const outcome: Outcome<unknown> = await dependencies.app.run(name as OperationName, call as never);
    return context.json(resultOf(outcome) as object, 200);
  });
}

/** The name of who asks. */
const user = z.string().min(1).max(200).default("operator");

/** What the validators of the route let through. */
function validIn({ req }: Context, hasBody: boolean): Record<string, unknown> {
  const valid = (target: "param" | "query" | "json") =>
    (req.valid as (of: string) => object | undefined)(target);
  return { ...(hasBody ? valid("json") : valid("query")), ...valid("param") };
}
