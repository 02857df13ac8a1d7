import { WebError } from "../core/ports/web.ts";

const maxUrl = 8_000;

/** A parsed http(s) URL without credentials. @throws WebError `invalid_url` */
export function parseWebUrl(text: string, base?: string): URL {
  const invalid = (message: string) => new WebError("invalid_url", message);
  if (text.length > maxUrl)
    throw invalid(`The address is longer than ${maxUrl} characters. Use a shorter one.`);
  const url = URL.parse(text.trim(), base);
  if (url === null)
    throw invalid(`${quote(text)} is not a web address. Give a full one, such as https://example.com/page.`);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw invalid(`Only http and https addresses can be fetched, not ${url.protocol.slice(0, 40)} ones.`);
  if (url.username !== "" || url.password !== "")
    throw invalid(`The address of ${url.host} contains a user name or password. Remove it and try again.`);
  return url;
}

/** A URL as messages and logs may show it: no credentials, query values or fragment, which often contain secrets. */
export function shownUrl(url: URL): string {
  const path = url.pathname.length > 200 ? `${url.pathname.slice(0, 200)}…` : url.pathname;
  return `${url.protocol}//${url.host}${path}${url.search === "" ? "" : "?…"}`;
}

/** Text that failed to parse, without anything that looks like credentials or a query. */
function quote(text: string): string {
  const safe = text
    .trim()
    .replace(/\/\/[^/@]*@/, "//…@")
    .replace(/[?#].*$/s, "…");
  return `"${safe.length > 120 ? `${safe.slice(0, 120)}…` : safe}"`;
}
