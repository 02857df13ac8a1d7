import { ModelError } from "../core/ports/model.ts";
import type { Endpoint } from "./provider-error.ts";
import type { ModelServer } from "./provider-model.ts";

type Signing = Pick<ModelServer, "headers" | "keyHeader">;

/** Whether a server refuses all requests because neither its key nor a header in its place is set. */
export function lacksKey(server: Pick<ModelServer, "needsKey" | "apiKey" | "headers">): boolean {
  return server.needsKey === true && !server.apiKey && !isSigned(server);
}

/** @throws ModelError `not_configured` when a key is needed and neither it nor a header in its place is set */
export function requireKey({ id, apiKey, keyName }: Endpoint, needsKey: boolean, { headers }: Signing): void {
  if (!lacksKey({ needsKey, apiKey, headers })) return;
  throw new ModelError("not_configured", `${id}: no key is configured. Set ${keyName}.`);
}

/** The operator's headers, and the key if the server expects it outside `authorization`, where both SDKs send it. */
export function serverHeaders(
  { headers = {}, keyHeader }: Signing,
  { apiKey }: Pick<Endpoint, "apiKey">,
): Record<string, string | null> {
  const isElsewhere = keyHeader === "api-key" || (!apiKey && isSigned({ headers }));
  const own = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  return {
    ...(isElsewhere && !own ? { authorization: null } : {}),
    ...(keyHeader === "api-key" && apiKey ? { "api-key": apiKey } : {}),
    ...headers,
  };
}

const keyHeaders: ReadonlySet<string> = new Set(["authorization", "api-key", "x-api-key"]);

/** Whether the operator's own headers sign the requests. */
function isSigned({ headers = {} }: Signing): boolean {
  return Object.keys(headers).some((name) => keyHeaders.has(name.toLowerCase()));
}
