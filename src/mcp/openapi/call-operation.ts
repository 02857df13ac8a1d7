import { isRecord } from "../../base/record.ts";
import type { Operation } from "./read-document.ts";

/** A request that an operation makes. */
export interface ApiRequest {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
}

/** @param base the address that paths are below @param headers of the entry: its account. Arguments never replace them */
export function requestFor(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  base: string,
  headers: Readonly<Record<string, string>>,
): ApiRequest {
  const parts: Parts = { path: operation.path, query: new URLSearchParams(), headers: {}, cookies: [] };
  for (const [argument, to] of Object.entries(operation.arguments)) {
    const value = input[argument];
    if (value !== undefined && value !== null) put(parts, to, value, operation.bodyType);
    // Without it, the path would name something else.
    else if (to.place === "path") throw new Error(`${argument} is missing.`);
  }
  const { path, query, cookies, body } = parts;
  refuseDots(path);
  const search = query.size === 0 ? "" : `${path.includes("?") ? "&" : "?"}${query}`;
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    url: `${base.replace(/(?<!\/)\/+$/, "")}${path.startsWith("/") ? "" : "/"}${path}${search}`,
    method: operation.method,
    headers: {
      accept: "application/json, text/*;q=0.9, */*;q=0.5",
      ...parts.headers,
      ...(cookies.length === 0 ? {} : { cookie: cookies.join("; ") }),
      ...(body === undefined || operation.bodyType === undefined
        ? {}
        : { "content-type": operation.bodyType }),
      ...Object.fromEntries(own),
    },
    ...(body === undefined ? {} : { body }),
  };
}

/** @throws for an empty value, without which the path would name something else */
function pathPart(name: string, text: string): string {
  if (text === "") throw new Error(`${name} is empty.`);
  return encodeURIComponent(text);
}

/** No encoding keeps `.` and `..` from being resolved: they would name another operation. */
function refuseDots(path: string): void {
  if (!path.split("/").some((segment) => /^\.{1,2}$/.test(segment))) return;
  throw new Error("An argument may not be one or two dots: the request would go to another path.");
}

/** A request while its arguments are put into it. */
interface Parts {
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  cookies: string[];
  body?: string;
}

function put(
  parts: Parts,
  { place, name, explode }: Operation["arguments"][string],
  value: unknown,
  bodyType: string | undefined,
): void {
  const text = () => textOf(value);
  if (place === "path") parts.path = parts.path.replaceAll(`{${name}}`, () => pathPart(name, text()));
  else if (place === "query") addToQuery(parts.query, name, value, explode);
  else if (place === "header") parts.headers[name.toLowerCase()] = text().replace(/[\r\n]+/g, " ");
  else if (place === "cookie") parts.cookies.push(`${name}=${encodeURIComponent(text())}`);
  else parts.body = bodyText(value, bodyType);
}

function addToQuery(query: URLSearchParams, name: string, value: unknown, explode: boolean): void {
  if (!Array.isArray(value)) query.append(name, textOf(value));
  else if (explode) for (const each of value) query.append(name, textOf(each));
  else query.append(name, value.map(textOf).join(","));
}

function bodyText(value: unknown, type = "application/json"): string {
  if (type.startsWith("application/x-www-form-urlencoded")) {
    const fields = new URLSearchParams();
    if (isRecord(value))
      for (const [name, each] of Object.entries(value)) addToQuery(fields, name, each, true);
    return String(fields);
  }
  return typeof value === "string" && !/json/i.test(type) ? value : JSON.stringify(value);
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
