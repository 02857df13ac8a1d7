import type { NetworkAccess } from "../core/skill/programs.ts";
import type { ConnectionTarget } from "./guarded-connection.ts";

/** Why a proxy refuses a request, for the program that made it. */
export interface ProxyRefusal {
  status: 400 | 403;
  /** One line of ASCII: many programs show nothing but this. */
  phrase: string;
  text: string;
}

/** Ports that every grant of a host covers. */
const webPorts: readonly number[] = [80, 443];

/** The host and port of a CONNECT request; every notation of an address is made plain, as browsers do. */
export function connectTarget(authority: string): ConnectionTarget | undefined {
  if (!/^[^/?#@\s]+:\d{1,5}$/.test(authority)) return undefined;
  const url = URL.parse(`http://${authority}`);
  // The URL parser leaves the default port of the scheme out.
  return url === null ? undefined : { host: plainHost(url), port: url.port === "" ? 80 : Number(url.port) };
}

/** The URL of a request in absolute form, plain http alone: https goes through CONNECT. */
export function plainUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || url.protocol !== "http:" || url.username !== "" || url.password !== "")
    return undefined;
  return url;
}

/** A URL's host without brackets and trailing dot. */
export function plainHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** Asks whether a host may be reached: by its name on ports 80 and 443, as `host:port` on all others. */
export function judgeTarget(
  { host, port }: ConnectionTarget,
  access: NetworkAccess,
): ProxyRefusal | undefined {
  const bracketed = host.includes(":") ? `[${host}]` : host;
  const asked = webPorts.includes(port) ? host : `${bracketed}:${port}`;
  if (host !== "" && access.permits(asked)) return undefined;
  return {
    status: 403,
    phrase: `${printable(asked)} is not granted`,
    text: `This skill may not reach ${printable(asked)}. An operator can grant it the host.\n`,
  };
}

/** The refusal of a request that is none for a proxy. */
export const badRequest: ProxyRefusal = {
  status: 400,
  phrase: "Not a proxy request",
  text: "Only http addresses and CONNECT host:port are taken here.\n",
};

/** The refusal of a private address, whatever was granted. */
export function privateAddress(host: string): ProxyRefusal {
  return {
    status: 403,
    phrase: `${printable(host)} is not public`,
    text: `${printable(host)} leads to an address that is not public. An operator can allow it with KNACK_NET_ALLOW.\n`,
  };
}

function printable(host: string): string {
  return host.replace(/[^\x21-\x7e]/g, "?").slice(0, 255);
}
