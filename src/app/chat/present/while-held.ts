import { LeaseLostError } from "../../../core/log/turn-log.ts";
import type { AnswerStream, ChatPlatform } from "../../../core/ports/chat-platform.ts";

/** Of each method whether it changes messages, which another worker may show by now. The others read, or show a passing sign. */
const changes: Readonly<Record<Methods<ChatPlatform> | Methods<AnswerStream>, boolean>> = {
  ...{ post: true, edit: true, remove: true, whisper: true, openStream: true },
  ...{ append: true, progress: true, finish: true, cancel: true },
  ...{ find: false, showWorking: false, showState: false, isUnseen: false, dismiss: false, markSeen: false },
  ...{ person: false, readThread: false, download: false, deciders: false, describe: false },
};
type Methods<T> = {
  [Key in keyof T]-?: NonNullable<T[Key]> extends (...given: never[]) => unknown ? Key : never;
}[keyof T];

/**
 * A platform that changes no message unless this worker holds the turn: a process that stood still would otherwise overwrite the answer of
 * the worker that took over, before its own timers say that its time is over. @throws LeaseLostError from what would change a message
 */
export function whileHeld(platform: ChatPlatform, turnId: string, isHeld: () => boolean): ChatPlatform {
  const check = () => {
    if (!isHeld()) throw new LeaseLostError(turnId);
  };
  const guard = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        if (changes[name as keyof typeof changes] !== true) return value.bind(target) as unknown;
        return async (...given: unknown[]) => {
          check();
          // It may stand still again between the steps that lead to the message.
          const [place, message, to] = given;
          const result: unknown = await value.apply(
            target,
            name === "post" ? [place, message, to, check] : given,
          );
          return name === "openStream" ? guard(result as AnswerStream) : result;
        };
      },
    });
  return guard(platform);
}
