import type { LookupAddress, LookupOptions } from "node:dns";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import type { buildConnector } from "undici";
import type { AddressPolicy } from "./address-policy.ts";

/** A connection would have gone, or went, to an address the policy refuses. Nothing was sent. */
export class AddressRefusedError extends Error {
  readonly code = "address_refused";
  readonly host: string;
  readonly address: string;
  constructor(host: string, address: string) {
    super(`${host} leads to ${address}, which is not a public address`);
    this.host = host;
    this.address = address;
  }
}

/**
 * Wraps undici's connector. The address of the connected socket is checked before undici writes a request to it, whatever the name, its
 * notation or the resolver's second answer said.
 */
export function guardConnector(
  connect: buildConnector.connector,
  policy: AddressPolicy,
): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...outcome) => {
      const [error, socket] = outcome;
      if (error !== null) return callback(error, null);
      const address = socket.remoteAddress ?? "";
      if (policy.permits(options.hostname, address, socket.remotePort)) return callback(null, socket);
      socket.destroy();
      return callback(new AddressRefusedError(options.hostname, address || "an unknown address"), null);
    });
  };
}

/** Wraps a resolver so that refused addresses are left out; a name with no other address fails before connecting. */
export function guardLookup(lookup: LookupFunction, policy: AddressPolicy): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found, family) => {
      if (error) return callback(error, "", 0);
      const all: LookupAddress[] = Array.isArray(found)
        ? found
        : [{ address: found, family: family ?? isIP(found) }];
      const permitted = all.filter((entry) => policy.permits(hostname, entry.address));
      const first = permitted[0];
      if (first === undefined) {
        return callback(new AddressRefusedError(hostname, all[0]?.address ?? "no address"), "", 0);
      }
      return answer(permitted, first, options, callback);
    });
  };
}

function answer(
  permitted: LookupAddress[],
  first: LookupAddress,
  options: LookupOptions,
  callback: Parameters<LookupFunction>[2],
): void {
  if (options.all === true) callback(null, permitted);
  else callback(null, first.address, first.family);
}

export interface ConnectionTarget {
  /** A name or an address, without brackets. */
  host: string;
  port: number;
}

export interface ConnectionGuard {
  policy: AddressPolicy;
  lookup: LookupFunction;
  timeoutMs: number;
}

/**
 * Opens a TCP connection that the policy permits: literal addresses are checked before, names when they are resolved, and the address the
 * socket is connected to before anything is sent. @throws AddressRefusedError, the system's errors
 */
export async function connectGuarded(target: ConnectionTarget, guard: ConnectionGuard): Promise<Socket> {
  const { host, port } = target;
  const { policy, timeoutMs } = guard;
  if (isIP(host) !== 0 && !policy.permits(host, host)) throw new AddressRefusedError(host, host);
  const socket = connect({ host, port, lookup: guardLookup(guard.lookup, policy), autoSelectFamily: true });
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  socket.on("error", reject);
  socket.once("connect", () => resolve(socket));
  socket.setTimeout(timeoutMs, () => reject(new ConnectionTimeoutError(host)));
  try {
    await promise;
    const address = socket.remoteAddress ?? "an unknown address";
    if (!policy.permits(host, address, port)) throw new AddressRefusedError(host, address);
    socket.setTimeout(0);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** A host did not accept the connection in time. */
export class ConnectionTimeoutError extends Error {
  readonly code = "connection_timeout";
  constructor(host: string) {
    super(`${host} did not accept a connection in time`);
  }
}
