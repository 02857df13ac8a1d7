/** What a page says; all of it is shown as text. */
interface LoginPage {
  title: string;
  lines: readonly string[];
  form?: { action: string; button: string; values: Record<string, string | undefined> };
}

/** A page that loads nothing and runs nothing; it can send its form, if it has one, to this server alone. */
export function loginPage(status: 200 | 400, { title, lines, form }: LoginPage): Response {
  const body = lines.map((line) => `<p>${escapeHtml(line)}</p>`);
  if (form !== undefined) body.push(formOf(form));
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>
<body>
<h1>${escapeHtml(title)}</h1>
${body.join("\n")}
</body>
</html>
`;
  const target = form === undefined ? "'none'" : "'self'";
  return new Response(html, {
    status,
    headers: {
      "Content-Type": "text/html; charset=UTF-8",
      "Content-Security-Policy": `default-src 'none'; base-uri 'none'; form-action ${target}; frame-ancestors 'none'`,
      "Cache-Control": "no-store",
      // With no-referrer a browser sends `Origin: null` with the form: https://fetch.spec.whatwg.org/#append-a-request-origin-header
      ...(form === undefined ? {} : { "Referrer-Policy": "same-origin" }),
    },
  });
}

function formOf({ action, button, values }: NonNullable<LoginPage["form"]>): string {
  const inputs = Object.entries(values).flatMap(([name, value]) =>
    value === undefined
      ? []
      : `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return `<form method="post" action="${escapeHtml(action)}">
${inputs.join("\n")}
<button type="submit">${escapeHtml(button)}</button>
</form>`;
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
