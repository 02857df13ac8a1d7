/** The forms in which programs write a text into others. */

/**
 * A text in JSON (also within JSON text, with escaped slashes or in ASCII alone), percent-encoded (also twice, and in JSON), in HTML, in
 * base64 and base64url wherever it begins among other bytes, and in hexadecimal digits. Each form is all that stands in another text
 * whatever is around it; in base64, up to a byte at each end may be left out. Takes time linear in the length of the text.
 */
export function encodedForms(text: string): string[] {
  const bytes = [...new TextEncoder().encode(text)];
  const hex = hexOf(bytes);
  const whole = text.toWellFormed();
  const percent = [whole, JSON.stringify(whole).slice(1, -1), encodeURIComponent(whole)].flatMap(
    percentForms,
  );
  const forms = [
    ...jsonForms(text),
    ...percent,
    ...htmlForms(text),
    ...base64Forms(bytes),
    hex,
    hex.toUpperCase(),
  ];
  return [...new Set(forms)];
}

function hexOf(bytes: readonly number[]): string {
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function htmlForms(text: string): string[] {
  const inner = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const whole = inner.replaceAll('"', "&quot;");
  return [inner, whole, ...["&#39;", "&#x27;", "&apos;"].map((sign) => whole.replaceAll("'", sign))];
}

function jsonForms(text: string): string[] {
  const inner = (value: string) => JSON.stringify(value).slice(1, -1);
  const once = inner(text);
  const ascii = once.replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [once, ascii, inner(once)].flatMap((form) => [form, form.replaceAll("/", "\\/")]);
}

/** As JavaScript encodes a part of a URL and a whole one, as RFC 3986 (section 2.3) and HTML's forms do, and with nothing left out. */
function percentForms(text: string): string[] {
  const hex = hexOf([...new TextEncoder().encode(text)]);
  const part = encodeURIComponent(text);
  const strict = part.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  const form = String(new URLSearchParams({ q: text })).slice(2);
  const digits = /%[0-9a-f]{2}/gi;
  return [part, encodeURI(text), strict, form, hex.replace(/../g, "%$&")].flatMap((each) => [
    each.replace(digits, (at) => at.toUpperCase()),
    each.replace(digits, (at) => at.toLowerCase()),
  ]);
}

/** Begins after 0, 1 and 2 other bytes, without the digits that depend on bytes before or behind. */
function base64Forms(bytes: readonly number[]): string[] {
  return [0, 1, 2].flatMap((before) => {
    const digits = btoa(String.fromCharCode(...Array<number>(before).fill(0), ...bytes));
    const own = digits.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
