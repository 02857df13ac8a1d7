import type { OpenAPIHono } from "@hono/zod-openapi";
import { bodyLimit } from "hono/body-limit";
import { html } from "hono/html";
import { checkSite } from "../access.ts";

/** Query parameters with which a login returns to the bot. */
type Returned = {
  [name in "state" | "code" | "error" | "error_description" | "iss"]?: string | undefined;
};

/** `shown`: the owner of the account, in words. */
type Answer = { ok: true; server: string; shown: string } | { ok: false; reason: string; server?: string };

/** Logins at tool servers, as the pages need them. */
export interface LoginPages {
  /** What `finish` would connect with these values, or why it cannot. Consumes nothing. */
  check(returned: Returned): Promise<Answer>;
  /** Completes a login that returned with these values and that the person confirmed. */
  finish(returned: Returned): Promise<Answer>;
  /** The OAuth client document of this bot; undefined when the bot has no public address. */
  clientDocument(): Record<string, unknown> | undefined;
}

/** The callback address of logins, and the address of the client document. */
export const loginPaths = { callback: "/oauth/mcp/callback", client: "/oauth/mcp/client.json" } as const;

/** Maximum characters of a code or state. */
const maxValueLength = 8_000;
/** Maximum bytes of the form: three such values, each character written as %XX. */
const maxFormBytes = 3 * 3 * maxValueLength + 1_000;

/**
 * The end of a login at a tool server. It needs no token of this API: the browser comes from another site, and only a person with the link
 * knows the state in the address. That person may not be the one who asked for the link, so nothing is connected before they see the owner
 * of the account and press a button. Programs that only open links change nothing either.
 */
export function addLoginRoutes(server: OpenAPIHono, login: LoginPages): void {
  server.get(loginPaths.callback, async (context) => {
    const value = (name: string) => context.req.query(name)?.slice(0, maxValueLength);
    const returned = { state: value("state"), code: value("code"), iss: value("iss") };
    const failure = { error: value("error"), error_description: value("error_description") };
    const answer = await login.check({ ...returned, ...failure });
    return answer.ok ? confirmation(answer, returned) : refusal(answer);
  });
  server.post(loginPaths.callback, checkSite, bodyLimit({ maxSize: maxFormBytes }), async (context) => {
    const form = await context.req.parseBody();
    const value = (name: string) => {
      const entry = form[name];
      return typeof entry === "string" ? entry.slice(0, maxValueLength) : undefined;
    };
    const answer = await login.finish({ state: value("state"), code: value("code"), iss: value("iss") });
    if (!answer.ok) return refusal(answer);
    const said = `${answer.server} is connected for ${answer.shown}. Go back to the chat and ask again.`;
    return loginPage(200, { title: "Connected", lines: [said] });
  });
  server.get(loginPaths.client, (context) => {
    const document = login.clientDocument();
    if (document === undefined) return context.notFound();
    return context.json(document, 200, { "Cache-Control": "public, max-age=300" });
  });
}

function confirmation(
  { server, shown }: Extract<Answer, { ok: true }>,
  returned: Returned,
): Promise<Response> {
  return loginPage(200, {
    title: "Connect your account?",
    lines: [
      `Connect ${server} for ${shown}? Only if you asked for this in the chat yourself.`,
      "If somebody sent you this link, they would use your account: close this page.",
    ],
    // Relative, because a proxy may serve the bot under a path prefix.
    form: { action: "callback", button: "Connect", values: returned },
  });
}

function refusal({ reason, server = "NAME" }: Extract<Answer, { ok: false }>): Promise<Response> {
  const again = `Go back to the chat and ask for a new link with /mcp login ${server}.`;
  return loginPage(400, { title: "Not connected", lines: [reason, again] });
}

/** The contents of a page, all shown as text. */
interface LoginPage {
  title: string;
  lines: readonly string[];
  form?: { action: string; button: string; values: Returned };
}

/** A page that loads and runs nothing. It can send its form, if any, to this server only. */
async function loginPage(status: 200 | 400, { title, lines, form }: LoginPage): Promise<Response> {
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head>
<body>
<h1>${title}</h1>
${lines.map((line) => html`<p>${line}</p>\n`)}${form === undefined ? "" : formOf(form)}
</body>
</html>
`;
  const target = form === undefined ? "'none'" : "'self'";
  return new Response(String(await page), {
    status,
    headers: {
      "Content-Type": "text/html; charset=UTF-8",
      "Content-Security-Policy": `default-src 'none'; base-uri 'none'; form-action ${target}; frame-ancestors 'none'`,
      "Cache-Control": "no-store",
      // With no-referrer a browser sends `Origin: null` with the form: https://fetch.spec.whatwg.org/#append-a-request-origin-header
      ...(form && { "Referrer-Policy": "same-origin" }),
    },
  });
}

function formOf({ action, button, values }: NonNullable<LoginPage["form"]>) {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return html`<form method="post" action="${action}">
${given.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}<button type="submit">${button}</button>
</form>`;
}
