import { onTestFinished } from "vitest";
import { type LocalServer, startServer } from "../../unit/net/local-server.ts";

export interface Site extends LocalServer {
  /** The text of its pages, by path; other pages say `A page.` */
  pages: Record<string, string>;
}

/** A site of plain pages, there until the test is finished; `/to?URL` redirects to that address. */
export async function openSite(pages: Record<string, string> = {}): Promise<Site> {
  const server = await startServer((request, response) => {
    const [path = "", query = ""] = (request.url ?? "").split("?");
    if (path === "/to") return response.writeHead(302, { location: decodeURIComponent(query) }).end();
    response.setHeader("content-type", "text/plain");
    return response.end(pages[path] ?? "A page.");
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return Object.assign(server, { pages });
}
