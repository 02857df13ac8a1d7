import { pretty } from "./golden.ts";

interface Operation {
  summary?: string;
  parameters?: { in: string; name: string }[];
  requestBody?: { content: Record<string, unknown> };
  responses: Record<string, unknown>;
  [more: string]: unknown;
}

/** An OpenAPI document, as far as it is taken apart here. */
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  [more: string]: unknown;
}

/** Routes that may be there beside the recorded ones. */
const accepted = ["/api/v1/operations"];

function operationsOf({ paths }: ApiDocument): { route: string; operation: Operation }[] {
  const named = Object.entries(paths)
    .filter(([path]) => !accepted.includes(path))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        name: `${path} ${method}`,
        route: `${method.toUpperCase()} ${path}`,
        operation,
      })),
    );
  return named.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The routes of the API as calls: `GET /skills/x`. */
export function routesOf(document: ApiDocument): string[] {
  return operationsOf(document)
    .map(({ route }) => route.replaceAll(/\{\w+\}/g, "x"))
    .filter((route) => route.includes(" /api/v1/"))
    .map((route) => route.replace("/api/v1", ""));
}

/** The document in lines. Neither the order of its keys nor that of its parameters and routes matters. */
export function describedApi(document: ApiDocument): string {
  const { paths: _paths, ...rest } = document;
  return [pretty(rest), ...operationsOf(document).map(describedOperation)].join("\n\n");
}

function describedOperation({ route, operation }: { route: string; operation: Operation }): string {
  const { summary = "", parameters = [], requestBody, responses, ...rest } = operation;
  const given = parameters.map((each) => `  ${each.in} ${each.name}: ${pretty(each, "    ")}`).sort();
  const { content = {}, ...aboutBody } = requestBody ?? {};
  const bodies = Object.entries(content).map(([type, body]) => `  body ${type}: ${pretty(body, "    ")}`);
  const more = { ...rest, ...(requestBody === undefined ? {} : { requestBody: aboutBody }) };
  return [
    `${route}: ${summary}`,
    ...(Object.keys(more).length === 0 ? [] : [`  ${pretty(more, "    ")}`]),
    ...given,
    ...bodies.sort(),
    ...describedResponses(responses),
  ].join("\n");
}

/** Statuses with the same answer stand on one line. */
function describedResponses(responses: Record<string, unknown>): string[] {
  const groups = new Map<string, string[]>();
  for (const [status, response] of Object.entries(responses)) {
    const text = pretty(response, "    ");
    groups.set(text, [...(groups.get(text) ?? []), status]);
  }
  return [...groups].map(([text, statuses]) => `  ${statuses.join(", ")}: ${text}`);
}
