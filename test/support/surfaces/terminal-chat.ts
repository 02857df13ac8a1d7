import { PassThrough, Writable } from "node:stream";
import type { ApiClient } from "../../../src/client/api-client.ts";
import { runChat } from "../../../src/platforms/terminal/chat.ts";
import type { Capabilities, ChatSurface, Conversation, Part } from "./chat-surface.ts";

const channels = { home: "console:local:terminal", elsewhere: "console:local:terminal-elsewhere" };

interface Session extends Conversation {
  written(): string;
  end(): Promise<void>;
}

/** The features of this surface. */
export const terminalCan: Capabilities = {
  severalPeople: false,
  severalConversations: true,
  whispers: false,
  buttons: false,
  readsWhileWorking: false,
  editable: false,
  mentions: false,
};

/** `knack chat` on the running bot, through pipes: what is shown only grows, and Ctrl-C stops. */
export function terminalChat(bot: () => { client: ApiClient; url: string }): ChatSurface {
  const sessions: Session[] = [];
  return {
    async open(channel = "home") {
      const session = openSession(bot(), channels[channel]);
      sessions.push(session);
      return session;
    },
    everything: async () => sessions.flatMap((session) => partsOf(session.written())),
    sent: async () => sessions.map((session) => session.written()).join("\n"),
    async close() {
      for (const session of sessions.splice(0)) await session.end();
    },
  };
}

function openSession({ client, url }: { client: ApiClient; url: string }, namespace: string): Session {
  const input = Object.assign(new PassThrough(), { isTTY: false, setRawMode: () => undefined });
  let text = "";
  const output = new Writable({
    write(piece, _encoding, done) {
      text += String(piece);
      done();
    },
  });
  const listeners = new Set<() => void>();
  const over = runChat({
    client,
    input,
    output,
    namespace,
    colours: false,
    clock: { now: Date.now },
    onInterrupt(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  const type = async (line: string) => void input.write(`${line}\n`);
  return {
    written: () => text,
    say: type,
    shown: async () => partsOf(text),
    async press(label) {
      if (label === "Stop") for (const listener of listeners) listener();
      else if (label === "Approve once" || label === "Refuse") await type(label === "Refuse" ? "n" : "y");
      else await type(numberOf(text, label));
    },
    async files() {
      const found = [...text.matchAll(/^File: (\S+) \(.*\) (\S+)$/gm)];
      const fetched = found.map(async ([, name = "", path = ""]) => {
        const response = await fetch(new URL(path, url));
        return { name, text: await response.text() };
      });
      return Promise.all(fetched);
    },
    called: async () => [],
    async end() {
      input.end();
      for (const listener of [...listeners, ...listeners]) listener();
      await over;
    },
  };
}

/** The number before a choice. */
function numberOf(text: string, label: string): string {
  const line = text.split("\n").findLast((each) => each.endsWith(` ${label}`)) ?? "";
  const number = /^ {2}(\d+) /.exec(line)?.[1];
  if (number === undefined) throw new Error(`The terminal offers no “${label}”.`);
  return number;
}

const step = /^(?:→| {2}[✔✖]|[✔✖])/;

/** Lines of steps, and the rest: which of it is a question is told by what is asked for below. */
function partsOf(text: string): Part[] {
  const lines = text.split("\n");
  const steps = lines.filter((line) => step.test(line)).join("\n");
  const rest = lines
    .filter((line) => !step.test(line))
    .join("\n")
    .trim();
  const asks = /A number, or your own words:|Run it\? y or n\b/.test(rest);
  return [
    ...(steps === "" ? [] : [{ kind: "progress" as const, text: steps }]),
    ...(asks ? [{ kind: "question" as const, text: rest }] : []),
    ...(rest === "" ? [] : [{ kind: "answer" as const, text: rest }]),
  ];
}
