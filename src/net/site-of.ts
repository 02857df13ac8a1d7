import { isIP } from "node:net";
import { once } from "../base/made-once.ts";

/** An import takes longer than what it is for, even of what is loaded. */
const loadSuffixes = once(() => import("tldts"));

/**
 * The part of a host that one owner probably controls. Names are told apart by the ICANN part of the public suffix list
 * (https://publicsuffix.org): `example.co.uk` with all its subdomains. Hosts on a suffix of that list's private part, such as `github.io`,
 * have one owner, and so have all hosts under an ending that is not in the list. IPv4 addresses count as a whole, IPv6 addresses by their
 * first 48 bits, the minimum that a site is assigned (RFC 6177), a mapped IPv4 address as that address. Ports make no difference.
 */
export async function siteOf(host: string): Promise<string> {
  const name = host.replace(/:\d+$/, "");
  if (name.startsWith("[")) return siteOfIpv6(name.slice(1, -1));
  if (isIP(name) !== 0) return name;
  const { parse } = await loadSuffixes();
  const { isIcann, domain, publicSuffix } = parse(name, {
    extractHostname: false,
    allowPrivateDomains: false,
  });
  return (isIcann === true ? domain : publicSuffix) ?? name;
}

async function siteOfIpv6(address: string): Promise<string> {
  const { default: ipaddr } = await import("ipaddr.js");
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  const parts = parsed.parts.slice(0, 3).map((part) => part.toString(16));
  return `[${parts.join(":")}::]`;
}
