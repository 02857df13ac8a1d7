import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";

/** Accounts of people with tool servers, as the server of the pages needs them. */
export interface LoginPages {
  /** What came of a login that sent a person back here with these values. */
  finish(returned: {
    state?: string | undefined;
    code?: string | undefined;
    error?: string | undefined;
    error_description?: string | undefined;
    iss?: string | undefined;
  }): Promise<{ ok: true; server: string; account: string } | { ok: false; reason: string; server?: string }>;
  /** Who this bot is, for logins that read it at an address; undefined when it is not public. */
  clientDocument(): Record<string, unknown> | undefined;
}

/** Where logins send people back to, and where they read who this bot is. */
export const loginPaths = { callback: "/oauth/mcp/callback", client: "/oauth/mcp/client.json" } as const;

/** No code or state of a login is longer, characters. */
const longestValue = 8_000;

/**
 * The end of a login at a tool server. It needs no token of this API: the browser comes from elsewhere, and the state in the address
 * is known to nobody but who was given the link.
 */
export function addLoginRoutes(server: OpenAPIHono, login: LoginPages): void {
  server.get(loginPaths.callback, async (context) => {
    const value = (name: string) => context.req.query(name)?.slice(0, longestValue);
    const finished = await login.finish({
      state: value("state"),
      code: value("code"),
      error: value("error"),
      error_description: value("error_description"),
      iss: value("iss"),
    });
    if (!finished.ok) {
      const again = `Go back to the chat and ask for a new link with /mcp login ${finished.server ?? "NAME"}.`;
      return page(context, 400, "Not connected", [finished.reason, again]);
    }
    return page(context, 200, "Connected", [
      `${finished.server} is connected for ${finished.account === "*" ? "everybody" : finished.account}. Go back to the chat and ask again.`,
      "You did not ask for this in a chat? Then somebody gave you their link: take the bot's access back in your account there.",
    ]);
  });
  server.get(loginPaths.client, (context) => {
    const document = login.clientDocument();
    if (document === undefined) return context.notFound();
    return context.json(document, 200, { "Cache-Control": "public, max-age=300" });
  });
}

/** A page that loads nothing and runs nothing. */
function page(context: Context, status: 200 | 400, title: string, lines: readonly string[]): Response {
  const body = lines.map((line) => `<p>${escapeHtml(line)}</p>`).join("\n");
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>
<body>
<h1>${escapeHtml(title)}</h1>
${body}
</body>
</html>
`;
  return context.html(html, status, {
    "Content-Security-Policy":
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
  });
}

function escapeHtml(text: string): string {
  const names: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replace(/[&<>"']/g, (character) => names[character] ?? "");
}
