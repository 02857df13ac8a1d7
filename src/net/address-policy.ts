import ipaddr from "ipaddr.js";
import { isPublicAddress } from "./public-address.ts";

/** Decides which addresses tools may reach: public ones, and private ones the operator listed. */
export interface AddressPolicy {
  /** Whether a connection made for `host` may end at `address`. */
  permits(host: string, address: string): boolean;
}

/**
 * `allow` holds host names (`intranet.example.com`, `*.example.com`), IP addresses and CIDRs (`10.1.0.0/16`). A listed
 * name may resolve to any address; a listed address is reachable under every name. Entries that are neither are ignored.
 */
export function createAddressPolicy(allow: readonly string[]): AddressPolicy {
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
    permits(host, address) {
      if (isPublicAddress(address)) return true;
      const name = bareHost(host);
      if (hosts.has(name) || suffixes.some((suffix) => name.endsWith(suffix))) return true;
      return networks.some((network) => contains(network, address));
    },
  };
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
