import ipaddr from "ipaddr.js";

/** Embedding prefixes whose last 32 bits are an IPv4 address: NAT64 (RFC 6052, RFC 8215). */
const nat64: readonly [string, number][] = [
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
];

/** Public by its range, yet the metadata and platform service of Azure machines. */
const metadataAddresses = new Set(["168.63.129.16"]);

/**
 * Whether an IP address (any notation `net` reports) is on the public internet: global unicast, after unwrapping
 * IPv4-mapped, NAT64 and 6to4 forms. Anything else, unreadable text included, is not.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return isPublicIpv4(parsed);
  const embedded = embeddedIpv4(parsed);
  if (embedded !== undefined) return isPublicIpv4(embedded);
  // 2000::/3 is all that IANA has given out as global unicast; ipaddr.js calls unassigned space unicast too.
  return parsed.range() === "unicast" && parsed.match(ipaddr.IPv6.parse("2000::"), 3);
}

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === "unicast" && !metadataAddresses.has(address.toString());
}

function embeddedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const bytes = address.toByteArray();
  if (nat64.some(([prefix, bits]) => address.match(ipaddr.IPv6.parse(prefix), bits))) {
    return new ipaddr.IPv4(bytes.slice(12, 16));
  }
  // 6to4 (RFC 3056) carries the IPv4 address after its 16-bit prefix 2002.
  if (address.match(ipaddr.IPv6.parse("2002::"), 16)) return new ipaddr.IPv4(bytes.slice(2, 6));
  return undefined;
}
