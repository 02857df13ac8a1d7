import { AsyncLocalStorage } from "node:async_hooks";
import type { Client } from "@modelcontextprotocol/client";
import type { ToolContext } from "../../core/skill/tool.ts";
import type { Redact } from "../../core/values/redact.ts";
import type { ActiveCall, AnswerTask } from "../call-tool.ts";
import type { ServerRequests } from "./create-server-requests.ts";

export type TrackedCalls = ReturnType<typeof trackCalls>;

/**
 * Over Streamable HTTP a server's request comes in the answer to a call, and so in that call's asynchronous context. Other transports do
 * not link the two: there, all running calls must belong to one turn, so that the question never reaches another person.
 */
export function trackCalls() {
  const context = new AsyncLocalStorage<ActiveCall>();
  const active = new Set<ActiveCall>();
  return {
    async track<T>(call: ActiveCall, request: () => Promise<T>): Promise<T> {
      active.add(call);
      try {
        return await context.run(call, request);
      } finally {
        active.delete(call);
      }
    },
    isBusy: () => active.size > 0,
    /** The call that a request of the server belongs to; undefined if that is uncertain. */
    current(): ActiveCall | undefined {
      const known = context.getStore();
      if (known !== undefined) return active.has(known) ? known : undefined;
      const turns = new Set([...active].map(({ turn_id }) => turn_id));
      return turns.size === 1 ? [...active].at(-1) : undefined;
    },
  };
}

/** Has a client answer the requests of its server, and returns what answers those of tasks. */
export async function answerRequests(
  client: Client,
  server: string,
  requests: ServerRequests | undefined,
  calls: TrackedCalls,
  redact: Redact,
): Promise<AnswerTask> {
  const sdk = await import("@modelcontextprotocol/client");
  const { elicitation, roots, sampling } = requests?.capabilities ?? {};
  const refuse = (why: string) => new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidRequest, why);
  const serve = async <T>(
    use: (requests: ServerRequests, context: ToolContext, key: string) => Promise<T>,
    call = calls.current(),
    ownKey?: string,
  ): Promise<T> => {
    if (call === undefined) throw refuse("It cannot be told which call this belongs to.");
    if (requests === undefined) throw refuse("The bot does not answer requests.");
    try {
      return await call.serve((context, key) => use(requests, context, key), ownKey);
    } catch {
      // The reason stays between the bot and its people.
      throw refuse("The request was not answered.");
    }
  };
  type Params<T extends "ElicitRequest" | "CreateMessageRequest"> =
    import("@modelcontextprotocol/client").SpecTypes[T]["params"];
  const elicit = (params: Params<"ElicitRequest">, ...of: [ActiveCall?, string?]) =>
    serve((use, context, key) => use.elicit(server, redact(params), context, key), ...of);
  const sample = (params: Params<"CreateMessageRequest">, ...of: [ActiveCall?, string?]) =>
    serve((use, context, key) => use.sample(server, redact(params), context, key), ...of);
  if (elicitation !== undefined)
    client.setRequestHandler("elicitation/create", ({ params }) => elicit(params));
  if (sampling !== undefined)
    client.setRequestHandler("sampling/createMessage", ({ params }) => sample(params));
  if (roots !== undefined) client.setRequestHandler("roots/list", () => ({ roots: [] }));
  return async (request, call, key) => {
    const { ElicitRequest, CreateMessageRequest } = sdk.specTypeSchemas;
    const question = elicitation && ElicitRequest["~standard"].validate(request);
    if (question !== undefined && "value" in question) return elicit(question.value.params, call, key);
    const text = sampling && CreateMessageRequest["~standard"].validate(request);
    if (text !== undefined && "value" in text) return sample(text.value.params, call, key);
    if (roots !== undefined && request.method === "roots/list") return { roots: [] };
    throw refuse("The request is not understood.");
  };
}
