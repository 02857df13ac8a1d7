import { request } from "node:http";
import { onTestFinished } from "vitest";
import { loadConsoleAssets } from "../../../src/server/console-assets.ts";
import { createServer } from "../../../src/server/server.ts";
import { createFakeApp } from "./fake-app.ts";

type ServerOptions = Parameters<typeof createServer>[0];

/** A server on a free loopback port, closed after the test. */
export async function startServer(
  options: Partial<Omit<ServerOptions, "security">> & { security?: Partial<ServerOptions["security"]> } = {},
) {
  const fake = createFakeApp();
  const logged: object[] = [];
  const server = createServer({
    app: fake.app,
    assets: loadConsoleAssets(),
    version: "1.2.3",
    logger: { error: (fields) => logged.push(fields) },
    ...options,
    security: { host: "127.0.0.1", port: 0, ...options.security },
  });
  const { url } = await server.listen();
  onTestFinished(() => server.close());
  return { ...fake, server, url, logged };
}

/** A request with any headers, also those `fetch` does not let through (Host, Origin). */
export function send(
  url: string,
  {
    method = "GET",
    path,
    headers = {},
    body,
  }: { method?: string; path?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; headers: Record<string, string | string[] | undefined>; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method, headers, agent: false, ...(path === undefined ? {} : { path }) },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

export const json = { "Content-Type": "application/json" };
