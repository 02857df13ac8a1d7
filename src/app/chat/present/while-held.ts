import { LeaseLostError } from "../../../core/log/turn-log.ts";
import type { AnswerStream, ChatPlatform } from "../../../core/ports/chat-platform.ts";

/** What changes messages that another worker may show by now. The others only read, or show a passing sign and never throw. */
const changes: ReadonlySet<PropertyKey> = new Set<keyof ChatPlatform | keyof AnswerStream>([
  ...(["post", "edit", "remove", "whisper", "openStream"] as const),
  ...(["append", "progress", "finish", "cancel"] as const),
]);

/**
 * A platform that changes no message unless this worker holds the turn: a process that stood still would otherwise overwrite the answer of
 * the worker that took over, before its own timers say that its time is over. @throws LeaseLostError from what would change a message
 */
export function whileHeld(platform: ChatPlatform, turnId: string, isHeld: () => boolean): ChatPlatform {
  const guard = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        if (!changes.has(name)) return value.bind(target) as unknown;
        return async (...given: unknown[]) => {
          if (!isHeld()) throw new LeaseLostError(turnId);
          const result: unknown = await value.apply(target, given);
          return name === "openStream" ? guard(result as AnswerStream) : result;
        };
      },
    });
  return guard(platform);
}
