/** A label of a host name as DNS has them (RFC 1123), internationalised ones in their ASCII form. */
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * The host a person means: a name or IPv4 address in lower case and ASCII, `*.name` or `*`. Of an address such as
 * `https://api.example.com/v1` it is the host alone. Undefined when it is none of these, or names a port.
 */
export function readHost(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "*") return "*";
  if (/^https?:\/\//i.test(trimmed)) return hostOfUrl(trimmed);
  const wild = trimmed.startsWith("*.");
  const name = wild ? trimmed.slice(2) : trimmed;
  if (/[\s/?#@:*\\%]/.test(name)) return undefined;
  const host = hostOfUrl(`http://${name}/`);
  return wild && host !== undefined ? `*.${host}` : host;
}

function hostOfUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port, username } = new URL(url);
  const host = hostname.toLowerCase().replace(/\.$/, "");
  const isName = host.length <= 253 && host.split(".").every((part) => label.test(part));
  return port === "" && username === "" && isName ? host : undefined;
}
