import type { HandlerRuntime } from "./load-handler.ts";
import type { HostedSkill, HostRequest } from "./protocol.ts";
import { jsonOf, textOf } from "./value-text.ts";

/** What one call of a handler may say and ask. */
export interface CallPort {
  introspect(note: string): void;
  log(text: string): void;
  /** Asks the bot; resolves with its answer. */
  ask(request: HostRequest): Promise<unknown>;
  /** A part of AnythingLLM's agent that is not here was looked for. */
  missed(name: string): void;
}

/** `this` of a handler, for one call: what AnythingLLM puts there, the skill's own fields over it, and the approval last. */
export function handlerContext(skill: HostedSkill, runtime: HandlerRuntime, port: CallPort): object {
  const logger = (...parts: unknown[]) => port.log(parts.map(textOf).join(" "));
  const introspect = (note: unknown) => port.introspect(textOf(note));
  return {
    super: agentStub({ introspect, handlerProps: { log: logger } }, port),
    ...structuredClone(skill),
    caller: "@agent",
    runtime: "docker",
    introspect,
    logger,
    webScraper: { getLinkContent: (url: unknown) => port.ask({ kind: "page", url: String(url) }) },
    ...runtime,
    requestToolApproval: (request: { payload?: unknown; description?: unknown } = {}) =>
      port.ask({
        kind: "approval",
        payload: JSON.parse(jsonOf(request?.payload ?? {}) ?? "{}"),
        description: textOf(request?.description ?? ""),
      }),
  };
}

/** AnythingLLM's agent has much more than this. What is looked for and not there is told, so that a failure explains itself. */
function agentStub(parts: Record<string, unknown>, { missed }: CallPort): object {
  return new Proxy(parts, {
    get(target, name) {
      if (typeof name === "symbol" || name in target) return Reflect.get(target, name);
      if (name !== "then" && name !== "toJSON") missed(name);
      return undefined;
    },
  });
}
