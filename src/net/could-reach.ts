import ipaddr from "ipaddr.js";
import { createAddressPolicy } from "./address-policy.ts";

/**
 * Whether code in the sandbox could reach a host (`name`, `name:port`, `*.name` or an address) if it were granted, as far as its name
 * tells. Its loopback is one of its own, so names of this machine lead nowhere whatever is allowed.
 */
export function createCouldReach(allow: readonly string[]): (host: string) => boolean {
  const policy = createAddressPolicy(allow);
  return (host) => {
    const name = host.replace(/^\[?([^\]]*?)\]?(?::\d+)?$/, (whole, inside) =>
      ipaddr.isValid(whole) ? whole : inside,
    );
    if (name === "localhost" || name.endsWith(".localhost")) return false;
    if (!ipaddr.isValid(name)) return true;
    return !ownLoopback.includes(ipaddr.process(name).toString()) && policy.permits(name, name);
  };
}

/** What programs in the sandbox do not send through the proxy. */
const ownLoopback = ["127.0.0.1", "::1"];
