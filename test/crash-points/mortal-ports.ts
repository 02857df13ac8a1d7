import type { SharedWork } from "../../src/app/app-deps.ts";
import type { TurnEvent } from "../../src/core/log/turn-event.ts";
import type { TurnLog } from "../../src/core/log/turn-log.ts";
import type { AnswerStream, ChatPlatform } from "../../src/core/ports/chat-platform.ts";
import type { Model } from "../../src/core/ports/model.ts";
import type { WorkingFolders } from "../../src/core/ports/working-folder.ts";
import type { CodeRunner } from "../../src/core/skill/programs.ts";
import { type Life, mortal } from "./life.ts";
import type { Stores } from "./stores.ts";

/** The stores of a process that may die, as options of its app. */
export function mortalStores(life: Life, { log, store, files, leases, shared }: Stores) {
  return {
    log: mortalLog(life, log),
    due: mortal(life, "due", log.due, ["add", "change", "remove", "removeAll"]),
    store: mortal(
      life,
      "store",
      store,
      ["set", "delete", "update"],
      (_, [key]) => String(key).split(":")[0] ?? "",
    ),
    files: mortal(life, "files", files, ["put", "remove", "forget"]),
    leases: mortal(life, "leases", leases, ["acquire", "renew", "release"]),
    shared: shared && mortalShared(life, shared),
  };
}

/** Every write is a point, named after the events it stores. */
function mortalLog(life: Life, log: TurnLog): TurnLog {
  const writes = ["accept", "claim", "release", "renew", "append", "absorb", "signal", "durable"] as const;
  return mortal(life, "log", log, writes, (method, given) => {
    if (method === "signal") return (given[1] as { type: string }).type;
    const events = { append: given[2], absorb: given[3] }[method];
    return ((events ?? []) as TurnEvent[]).map(({ type }) => type).join(",");
  });
}

/** What processes tell each other: a dead one says and hears nothing. */
function mortalShared(life: Life, { calls, wire, place }: SharedWork): SharedWork {
  const alive =
    <Told extends unknown[]>(heard: (...told: Told) => void) =>
    (...told: Told) =>
      life.isOver() ? undefined : heard(...told);
  return {
    place,
    calls: {
      onWork: (heard) => life.look(() => calls.onWork(alive(heard))),
      onSignal: (heard) => life.look(() => calls.onSignal(alive(heard))),
      onEvents: (namespace, heard) => life.look(() => calls.onEvents(namespace, alive(heard))),
    },
    wire: {
      notify: (...message) => life.look(() => wire.notify(...message)),
      listen: (channel, heard) => life.look(() => wire.listen(channel, alive(heard))),
    },
  };
}

/** Working folders: what is kept in them and run in them. A run goes on for as long as its code does, which dies with the process. */
export function mortalFolders(life: Life, folders: WorkingFolders): WorkingFolders {
  const acts = ["attach", "handOver", "forget", "remove", "clear"] as const;
  return {
    of: (place) => {
      const folder = folders.of(place);
      return {
        ...mortal(life, "folder", folder, acts),
        use: (how, work, signal) =>
          life.act("folder.use", (happened) => {
            const inside: typeof work = (working) => {
              happened();
              return work(working);
            };
            return folder.use(how, inside, signal);
          }),
      };
    },
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
