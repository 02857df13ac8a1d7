import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import type { AddressPolicy } from "./address-policy.ts";
import { AddressRefusedError, guardLookup } from "./guarded-connector.ts";

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
 * Opens a TCP connection that the policy permits: literal addresses are judged before, names as they are resolved, and
 * the address the socket is connected to before anything is sent. @throws AddressRefusedError, the system's errors
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

/** A host did not take the connection in time. */
export class ConnectionTimeoutError extends Error {
  readonly code = "connection_timeout";
  constructor(host: string) {
    super(`${host} did not accept a connection in time`);
  }
}
