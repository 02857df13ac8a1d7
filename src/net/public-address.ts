import ipaddr from "ipaddr.js";

/** The well-known prefix of NAT64, whose last 32 bits are an IPv4 address (RFC 6052 section 2.2). */
const nat64 = ["64:ff9b::", 96] as const;

/**
 * NAT64 of a local network (RFC 8215). Where in it an IPv4 address stands depends on the length of the prefix the network chose, so what
 * it leads to is not known.
 */
const localNat64 = ["64:ff9b:1::", 48] as const;

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
  if (isIn(parsed, localNat64)) return false;
  const embedded = embeddedIpv4(parsed);
  if (embedded !== undefined) return isPublicIpv4(embedded);
  // 2000::/3 is all that IANA has given out as global unicast; ipaddr.js calls unassigned space unicast too.
  return parsed.range() === "unicast" && parsed.match(ipaddr.IPv6.parse("2000::"), 3);
}

function isIn(address: ipaddr.IPv6, [prefix, bits]: readonly [string, number]): boolean {
  return address.match(ipaddr.IPv6.parse(prefix), bits);
}

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === "unicast" && !metadataAddresses.has(address.toString());
}

function embeddedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const bytes = address.toByteArray();
  if (isIn(address, nat64)) return new ipaddr.IPv4(bytes.slice(12, 16));
  // 6to4 (RFC 3056) carries the IPv4 address after its 16-bit prefix 2002.
  if (address.match(ipaddr.IPv6.parse("2002::"), 16)) return new ipaddr.IPv4(bytes.slice(2, 6));
  return undefined;
}
