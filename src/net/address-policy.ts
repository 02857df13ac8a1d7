import ipaddr from "ipaddr.js";
import { isPublicAddress } from "./public-address.ts";

/** Decides which addresses tools may reach: public ones, and private ones the operator listed. */
export interface AddressPolicy {
  /** Whether a connection made for `host` may end at `address`, and at this port of it where it is given. */
  permits(host: string, address: string, port?: number): boolean;
}

/** The port of this machine at which the bot itself listens; undefined while it does not. */
export type OwnPort = () => number | undefined;

/**
 * `allow` holds host names (`intranet.example.com`, `*.example.com`), IP addresses and CIDRs (`10.1.0.0/16`). A listed
 * name may resolve to any address; a listed address is reachable under every name. Entries that are neither are ignored. Nothing
 * allows the bot itself, which may take whoever is at the machine for its operator.
 */
export function createAddressPolicy(allow: readonly string[], own: OwnPort = () => undefined): AddressPolicy {
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
      if (port !== undefined && port === own() && isThisMachine(address)) return false;
      if (isPublicAddress(address)) return true;
      const name = bareHost(host);
      if (hosts.has(name) || suffixes.some((suffix) => name.endsWith(suffix))) return true;
      return networks.some((network) => contains(network, address));
    },
  };
}

function isThisMachine(address: string): boolean {
  return ipaddr.isValid(address) && ["loopback", "unspecified"].includes(ipaddr.process(address).range());
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
