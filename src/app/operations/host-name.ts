/** A label of a host name as DNS has them (RFC 1123), internationalised ones in their ASCII form. */
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Ports a host's own grant covers, as URLs write them. */
const webPorts = ["", "80", "443"];

/**
 * The host a person means: a name or IPv4 address in lower case and ASCII, `*.name` or `*`. Of an address such as
 * `https://api.example.com/v1` it is the host alone. A port other than the web's (80, 443) stays with a single host, `name:8080`, as
 * such a host has to be granted apart. Undefined when it is none of these.
 */
export function readHost(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "*") return "*";
  if (/^https?:\/\//i.test(trimmed)) return hostOfUrl(trimmed);
  const wild = trimmed.startsWith("*.");
  const [, name = "", port = ""] = /^([^:]*)(:\d{1,5})?$/.exec(wild ? trimmed.slice(2) : trimmed) ?? [];
  if (/[\s/?#@*\\%]/.test(name) || (wild && port !== "")) return undefined;
  const host = hostOfUrl(`http://${name}${port}/`);
  return wild && host !== undefined ? `*.${host}` : host;
}

function hostOfUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port, username } = new URL(url);
  const host = hostname.toLowerCase().replace(/\.$/, "");
  const isName = host.length <= 253 && host.split(".").every((part) => label.test(part));
  if (username !== "" || !isName) return undefined;
  return webPorts.includes(port) ? host : `${host}:${port}`;
}
