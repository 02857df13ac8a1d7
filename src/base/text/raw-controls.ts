/** A quick check; the function decides which of them are invalid in a string. https://www.rfc-editor.org/rfc/rfc8259#section-7 */
const controls = /\p{Cc}/u;

/**
 * Escapes line breaks, tabs and other control characters in strings of JSON text, which models often write unescaped. Everything else
 * stays unchanged, valid or not.
 */
export function escapeRawControls(json: string): string {
  if (!controls.test(json)) return json;
  const parts: string[] = [];
  let copied = 0;
  let isString = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === 0x22) isString = !isString;
    else if (!isString) continue;
    else if (code < 0x20) {
      parts.push(json.slice(copied, at), JSON.stringify(json[at]).slice(1, -1));
      copied = at + 1;
    } else if (code === 0x5c) at += 1;
  }
  return parts.join("") + json.slice(copied);
}
