import type { Message } from "../core/message.ts";
import type { MessageContext, ReadFile, TurnEvent } from "../core/turn-event.ts";
import { speakerOf, userMessage } from "../core/user-message.ts";

/** Characters of an old message, and of the files that came with it, that later turns still see. */
const oldMessage = 9_600;
/** Characters of somebody else's message in the thread. */
const oldHeard = 1_200;

/** What people said in a finished turn, as later ones are told: who spoke and what was read with it, pictures by name alone. */
export function pastMessages(events: readonly TurnEvent[]): (event: TurnEvent) => Message | undefined {
  const inbound = events.find((event) => event.type === "inbound")?.inbound;
  const speaker = inbound === undefined ? undefined : speakerOf(inbound);
  const read = events.find((event) => event.type === "context_read");
  const context = read === undefined ? undefined : shortened(read);
  return (event) => {
    switch (event.type) {
      case "inbound":
        return withoutSaid(userMessage(cutText(event.inbound.text, oldMessage), { speaker, context }));
      case "steered":
        return withoutSaid(userMessage(event.text, { speaker }));
      default:
        return undefined;
    }
  };
}

function withoutSaid({ text }: Message): Message {
  return { role: "user", text };
}

function shortened({ thread, files, notes }: MessageContext): MessageContext {
  const texts = files.filter(({ text }) => text !== undefined).length;
  const room = Math.floor(oldMessage / Math.max(1, texts));
  return {
    thread: thread.map((heard) => ({ ...heard, text: cutText(heard.text, oldHeard) })),
    files: files.map((file) => pastFile(file, room)),
    notes,
  };
}

function pastFile({ image, text, ...file }: ReadFile, room: number): ReadFile {
  if (image !== undefined) return { ...file, text: `[image: ${file.name}]` };
  return text === undefined ? file : { ...file, text: cutText(text, room) };
}

/** The beginning of a text, marked when it is cut. */
export function cutText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)} […]`;
}
