import type { TurnEvent } from "../../src/core/log/turn-event.ts";
import type { TurnLog } from "../../src/core/log/turn-log.ts";
import type { AnswerStream, ChatPlatform } from "../../src/core/ports/chat-platform.ts";
import type { Model } from "../../src/core/ports/model.ts";
import type { FileStore, KeyValue } from "../../src/core/ports/storage.ts";
import type { WorkingFolders } from "../../src/core/ports/working-folder.ts";
import type { CodeRunner } from "../../src/core/skill/programs.ts";
import { type Life, mortal } from "./life.ts";

/** The log of a process that may die: every write is a point, named after the events it stores. */
export function mortalLog(life: Life, log: TurnLog): TurnLog {
  const writes = ["accept", "claim", "release", "renew", "append", "absorb", "signal", "durable"] as const;
  return mortal(life, "log", log, writes, (method, given) => {
    if (method === "signal") return (given[1] as { type: string }).type;
    const events = { append: given[2], absorb: given[3] }[method];
    return ((events ?? []) as TurnEvent[]).map(({ type }) => type).join(",");
  });
}

export function mortalStore(life: Life, store: KeyValue): KeyValue {
  return mortal(
    life,
    "store",
    store,
    ["set", "delete", "update"],
    (_, [key]) => String(key).split(":")[0] ?? "",
  );
}

export function mortalFiles(life: Life, files: FileStore): FileStore {
  return mortal(life, "files", files, ["put", "remove", "forget"]);
}

/** Working folders: what is kept in them and run in them. */
export function mortalFolders(life: Life, folders: WorkingFolders): WorkingFolders {
  const acts = ["attach", "use", "handOver", "forget", "remove", "clear"] as const;
  return {
    of: (place) => mortal(life, "folder", folders.of(place), acts),
    all: () => folders.all(),
  };
}

/** Code that is killed with the process; what it wrote stays. */
export function mortalCode(life: Life, code: CodeRunner): CodeRunner {
  return mortal(life, "code", code, ["run"]);
}

/** A platform as a process that may die reaches it, the streams it opens included. */
export function mortalPlatform<P extends ChatPlatform>(life: Life, platform: P): P {
  const sends = ["post", "edit", "remove", "whisper", "openStream", "showWorking", "markSeen"] as const;
  const sent = mortal<ChatPlatform>(life, "platform", platform, sends, (_, given) => purposeIn(given));
  const openStream: ChatPlatform["openStream"] =
    platform.openStream === undefined
      ? undefined
      : async (...given) => {
          const stream = await sent.openStream?.(...given);
          return mortal<AnswerStream>(life, "stream", stream as AnswerStream, ["append", "finish", "cancel"]);
        };
  return new Proxy(sent, {
    get: (target, name) => (name === "openStream" ? openStream : Reflect.get(target, name, target)),
  }) as P;
}

function purposeIn(given: readonly unknown[]): string {
  const message = given.find((each) => typeof each === "object" && each !== null && "tag" in each);
  return (message as { tag?: { purpose: string } } | undefined)?.tag?.purpose ?? "";
}

/** A model as a process that may die asks it: request and answer are points. `sleep` holds the answer back between its words. */
export function mortalModel(life: Life, model: Model, sleep: (text: string) => Promise<void>): Model {
  return {
    ...model,
    async *stream(request) {
      const events = model.stream(request)[Symbol.asyncIterator]();
      let next = await life.act("model asked", () => events.next());
      for (; next.done !== true; next = await events.next()) {
        if (next.value.type === "text") await sleep(next.value.text);
        if (next.value.type === "finished") await life.act("model answered", () => {});
        yield next.value;
      }
    },
  };
}
