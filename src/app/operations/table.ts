import type { z } from "zod";
import type { Asker, Outcome } from "../../core/outcome.ts";
import { grantHosts, revokeHosts } from "./grants.ts";
import { type Operation, runOperation } from "./operation.ts";
import { loginServer, logoutServer } from "./server-accounts.ts";
import { controlServer, listServers, trustServer } from "./servers.ts";
import type { Services } from "./services.ts";

/** Everything that people, programs and operators can do. The order is that of help texts. */
const operations = [
  grantHosts,
  revokeHosts,
  listServers,
  loginServer,
  logoutServer,
  trustServer,
  controlServer,
] as const;

type Each = (typeof operations)[number];
export type OperationName = Each["name"];
type Named<Name extends OperationName> = Extract<Each, { name: Name }>;

/** What a program sends. */
export type InputOf<Name extends OperationName> = z.input<Named<Name>["input"]>;
/** What it gets. */
export type OutputOf<Name extends OperationName> = z.output<Named<Name>["output"]>;

/** The same without the types of each, for surfaces that treat all alike. */
export const allOperations: readonly Operation[] = operations as readonly unknown[] as readonly Operation[];

/** Method and path below `/api/v1` by name, `POST /skills/{id}/grant`. */
export const operationRoutes: { readonly [name: string]: string } = Object.fromEntries(
  allOperations.flatMap(({ name, http }) => (http === undefined ? [] : [[name, http.route]])),
);

/** Runs an operation by its name, for a person. The input has been read by the operation's schema. */
export type RunOperation = <Name extends OperationName>(
  name: Name,
  call: { input: z.output<Named<Name>["input"]>; asker: Asker; signal?: AbortSignal },
) => Promise<Outcome<OutputOf<Name>>>;

/** @throws Error for a name that no operation has */
export function createOperationRunner(services: Services): RunOperation {
  return async (name, { input, asker, signal = new AbortController().signal }) => {
    const found = allOperations.find((each) => each.name === name);
    if (found === undefined) throw new Error(`There is no operation ${name}`);
    const outcome = await runOperation(found, { input, asker, signal, services });
    return outcome as Outcome<OutputOf<typeof name>>;
  };
}
