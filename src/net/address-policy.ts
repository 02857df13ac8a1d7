import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/** Decides which addresses tools may reach: public ones, and private ones the operator listed. */
export interface AddressPolicy {
  /** Whether a connection made for `host` may end at `address`, and at the given port of it. */
  permits(host: string, address: string, port?: number): boolean;
}

/** What requests may reach. */
export interface Reach {
  /** Private host names (`*.` for subdomains), addresses or CIDRs that may be reached. */
  allow: readonly string[];
  /** Never reached at any address of this machine, whatever is allowed. */
  own?: OwnPorts | undefined;
  /** The addresses of this machine at present; default: those of its network interfaces. */
  addresses?: () => readonly string[];
}

/** The ports of this machine at which the bot itself listens at present. What listens adds its port, and deletes it at its end. */
export type OwnPorts = Set<number>;

const interfaceAddresses = () =>
  Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));

/**
 * `allow` contains host names (`intranet.example.com`, `*.example.com`), IP addresses and CIDRs (`10.1.0.0/16`). A listed name may resolve
 * to any address; a listed address is reachable under every name. Other entries are ignored. Nothing allows the bot's own ports, because the
 * bot may treat connections from this machine as its operator's.
 */
export function createAddressPolicy({
  allow,
  own = new Set(),
  addresses = interfaceAddresses,
}: Reach): AddressPolicy {
  const hosts = new Set<string>();
  const suffixes: string[] = [];
  const networks: [ipaddr.IPv4 | ipaddr.IPv6, number][] = [];
  for (const raw of allow) {
    const entry = bareHost(raw);
    if (ipaddr.isValidCIDR(entry)) networks.push(ipaddr.parseCIDR(entry));
    else if (ipaddr.isValid(entry)) networks.push(singleAddress(entry));
    else if (entry.startsWith("*.")) suffixes.push(entry.slice(1));
    else if (entry !== "") hosts.add(entry);
  }
  return {
    permits(host, address, port) {
      if (port !== undefined && own.has(port) && isOfMachine(address, addresses())) return false;
      if (isPublicAddress(address)) return true;
      const name = bareHost(host);
      if (hosts.has(name) || suffixes.some((suffix) => name.endsWith(suffix))) return true;
      return networks.some((network) => contains(network, address));
    },
  };
}

/** Whether a connection to the address ends at the machine with these addresses. Zones of IPv6 make no difference. */
function isOfMachine(address: string, addresses: readonly string[]): boolean {
  const reached = unwrapped(address);
  if (reached === undefined || ["loopback", "unspecified"].includes(reached.range())) return true;
  return addresses.some((each) => unwrapped(each)?.toByteArray().join() === reached.toByteArray().join());
}

/** An address without its zone; the IPv4 address that an IPv6 address contains. Undefined for anything else. */
function unwrapped(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (!ipaddr.isValid(address)) return undefined;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? (embeddedIpv4(parsed) ?? parsed) : parsed;
}

/** A host name in lower case without brackets, trailing dot and surrounding space. */
function bareHost(host: string): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
}

function singleAddress(address: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const parsed = ipaddr.process(address);
  return [parsed, parsed instanceof ipaddr.IPv4 ? 32 : 128];
}

function contains([network, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number], address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return network instanceof ipaddr.IPv4 && parsed.match(network, bits);
  return network instanceof ipaddr.IPv6 && parsed.match(network, bits);
}

/** The well-known prefix of NAT64, whose last 32 bits are an IPv4 address (RFC 6052 section 2.2). */
const nat64 = ["64:ff9b::", 96] as const;

/**
 * NAT64 of a local network (RFC 8215). The position of the IPv4 address in it depends on the length of the prefix the network chose, so its
 * destination is unknown.
 */
const localNat64 = ["64:ff9b:1::", 48] as const;

/** Public by its range, yet the metadata and platform service of Azure machines. */
const metadataAddresses = new Set(["168.63.129.16"]);

/**
 * Whether an IP address (in any notation that `net` reports) is on the public internet: global unicast, after unwrapping IPv4-mapped, NAT64
 * and 6to4 forms. Anything else, including unreadable text, is not.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return isPublicIpv4(parsed);
  if (isIn(parsed, localNat64)) return false;
  const embedded = embeddedIpv4(parsed);
  if (embedded !== undefined) return isPublicIpv4(embedded);
  // 2000::/3 is all that IANA has assigned as global unicast; ipaddr.js also calls unassigned space unicast.
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

/**
 * Whether code in the sandbox could reach a host (`name`, `name:port`, `*.name` or an address) if it were granted, judged by its name. The
 * sandbox has its own loopback, so names of this machine lead nowhere, whatever is allowed.
 */
export function createCouldReach(allow: readonly string[]): (host: string) => boolean {
  const policy = createAddressPolicy({ allow });
  return (host) => {
    const name = host.replace(/^\[?([^\]]*?)\]?(?::\d+)?$/, (whole, inside) =>
      ipaddr.isValid(whole) ? whole : inside,
    );
    if (name === "localhost" || name.endsWith(".localhost")) return false;
    if (!ipaddr.isValid(name)) return true;
    return !ownLoopback.includes(ipaddr.process(name).toString()) && policy.permits(name, name);
  };
}

/** Addresses for which programs in the sandbox use no proxy. */
const ownLoopback = ["127.0.0.1", "::1"];
