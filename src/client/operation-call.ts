import type { InputOf, OperationName, OutputOf } from "../app/operations/table.ts";
import { query, type SendOptions } from "./request.ts";

/** Asks for an operation. Who asks is `user`; the operator unless told. @throws ApiError */
export type CallOperation = <Name extends OperationName>(
  name: Name,
  input: InputOf<Name> & { user?: string | undefined },
) => Promise<OutputOf<Name>>;

/** The routes of operations by name: `POST /skills/{id}/grant`. */
interface Routes {
  operations: { readonly [name: string]: string };
}

type ReadJson = <T>(path: string, options?: SendOptions) => Promise<T>;

/** The typed call of every operation. @param json sends a request and reads its answer @param given routes, else the server is asked */
export function createCall(json: ReadJson, given?: Routes["operations"]): CallOperation {
  let known = given === undefined ? undefined : Promise.resolve<Routes>({ operations: given });
  const routes = () => {
    known ??= json<Routes>("/api/v1/operations").catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
  return async (name, input) => {
    const { operations } = await routes();
    const { path, ...options } = requestOf(operations[name] ?? "", { ...input });
    return json(path, options);
  };
}

/** What is in braces goes into the path, the rest into the query or the body. */
function requestOf(route: string, input: Record<string, unknown>): SendOptions & { path: string } {
  const [method = "GET", template = ""] = route.split(" ") as [SendOptions["method"], string];
  const filled = template.replace(/\{(\w+)\}/g, (_braces, key: string) => {
    const value = String(input[key]);
    delete input[key];
    return encodeURIComponent(value);
  });
  const path = `/api/v1${filled}`;
  if (method === "POST" || method === "PUT") return { method, path, body: input };
  return { method, path: `${path}${query(input as Record<string, string>)}` };
}
