import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OpenAPIHono } from "@hono/zod-openapi";
import { createMcpLogin, type McpLoginWithReturn } from "../../src/mcp/login/create-mcp-login.ts";
import { createMcpServers } from "../../src/mcp/mcp-servers.ts";
import { createServerRequests } from "../../src/mcp/requests/create-server-requests.ts";
import { createWeb } from "../../src/net/create-web.ts";
import { addLoginRoutes, loginPaths } from "../../src/server/routes/login-routes.ts";
import { createMemoryKeyValue } from "../../src/storage/memory-key-value.ts";
import { systemClock } from "../../src/wiring/system-clock.ts";

/** Where links lead back to. Nobody listens there: who follows one asks the page itself. */
const home = "http://127.0.0.1:4000";
/** What the suite wants to see as the client's id where logins read it at an address. */
const clientMetadataUrl = "https://conformance-test.local/client-metadata.json";
/** Maximum wait for the suite's server, ms: it plays many servers at once, perhaps on a busy machine. */
const patience_ms = 60_000;

/** The tool servers, logins and answers of the bot as it puts them together, with one configured server called `judge`. */
export async function openJudgedBot(entry: Record<string, unknown>) {
  const folder = await mkdtemp(join(tmpdir(), "knack-conformance-"));
  const file = join(folder, "mcp.json");
  await writeFile(file, JSON.stringify({ mcpServers: { judge: entry } }));
  const web = createWeb({ allow: [] });
  const store = createMemoryKeyValue();
  const report = (error: unknown, where: string) => console.error(where, error);
  const redirectUrl = () => home + loginPaths.callback;
  const login = createMcpLogin({ store, web, clock: systemClock, redirectUrl, clientMetadataUrl, report });
  const { servers, source, start, close } = createMcpServers({
    file,
    folder: join(folder, "homes"),
    environment: {},
    store,
    clock: systemClock,
    version: "0.0.0",
    connect_ms: patience_ms,
    call_ms: patience_ms,
    maxAttempts: 1,
    question_ms: patience_ms,
    login,
    requests: createServerRequests(),
    report,
  });
  start();
  await source.load();
  return {
    connect: () => servers.start("judge"),
    /** Makes a link and follows it; resolves when the server knows. */
    async logIn() {
      const begun = await servers.login("judge", "operator");
      if (!begun.ok) throw new Error(begun.reason);
      await follow(begun.url, login);
      // The connection is made anew in the background.
      const state = () => servers.list().find(({ name }) => name === "judge")?.state;
      while (state() === "needs_login") await new Promise((resolve) => setTimeout(resolve, 5));
    },
    async tools() {
      const { skills } = await source.load();
      return skills.filter(({ parent }) => parent === undefined).flatMap((skill) => skill.tools);
    },
    async close() {
      await close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Opens a link as a browser does, goes where it is sent back to, and confirms what it is asked there. */
async function follow(link: string, login: McpLoginWithReturn): Promise<void> {
  const pages = new OpenAPIHono();
  addLoginRoutes(pages, login);
  const answer = await fetch(link, { redirect: "manual" });
  const back = new URL(answer.headers.get("location") ?? "", link);
  if (!back.href.startsWith(home + loginPaths.callback)) throw new Error(`Sent to ${back.href}.`);
  const page = await pages.request(back.href);
  const asked = await page.text();
  if (!page.ok) throw new Error(asked);
  const form = new URLSearchParams();
  for (const [, name = "", value = ""] of asked.matchAll(/ name="(\w+)" value="([^"]*)"/g))
    form.append(name, value);
  const connected = await pages.request(loginPaths.callback, { method: "POST", body: form });
  if (!connected.ok) throw new Error(await connected.text());
}
