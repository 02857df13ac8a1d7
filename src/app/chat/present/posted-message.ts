import type { TurnEvent } from "../../../core/log/turn-event.ts";
import type { AnswerStream, MessageTag } from "../../../core/ports/chat-platform.ts";
import { closeFence } from "./markdown-fences.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import { type Content, type Published, persist, platformErrorOf, redactMessage } from "./publish-message.ts";

/** One message of a turn, and all that may be done with it. It is posted once, whatever happens. Calls are made one after the other. */
export interface PostedMessage {
  readonly tag: MessageTag;
  /** Where it is, as far as is known. */
  readonly reference: string | undefined;
  /** Whether it grows in the platform's stream now. */
  readonly isStreaming: boolean;
  /** Whether this calls somebody whom the message did not call when this process posted it: an edit notifies nobody. */
  callsUnnoticed(content: Content): boolean;
  /** Looks for it if it may be there: a worker that died may have posted it. Answers where it is. @throws what the platform throws */
  adopt(): Promise<string | undefined>;
  /** Posts this, or edits what is there, unless it shows this already. @throws PlatformError, or whatever the platform throws */
  show(content: Content): Promise<void>;
  /**
   * Shows progress and a text that grow: in the platform's stream where it may have one, else as `show` does. `text` is the text of
   * `content` as it was written so far. @throws as `show`
   */
  grow(text: string, content: Content): Promise<void>;
  /** Brings this to the platform, with further tries for some seconds. Rejects only when the turn is given up. */
  publish(content: Content): Promise<Published>;
  /** Ends its stream with this. Undefined when it has none, or it could not be ended: what it shows is edited then. */
  finish(content: Content): Promise<string | undefined>;
  /** Edits it if it is there, once. @throws what the platform throws */
  amend(content: Content): Promise<void>;
  /** Takes away what this process has shown. False: the platform keeps it, and it is written over later. */
  takeAway(): Promise<boolean>;
  /** Takes it away, whoever showed it. False: the platform keeps it, and it is no longer this message. */
  drop(): Promise<boolean>;
  /** Ends its stream with what it shows: another process goes on. @throws PlatformError */
  leave(): Promise<void>;
}

type State =
  | { at: "absent" }
  /** It may be there without our knowing: it is looked for before it is posted. */
  | { at: "maybe" }
  | { at: "posted"; reference: string }
  /** The stream has got `text` and the progress of `shown` so far. */
  | { at: "streaming"; reference: string; stream: AnswerStream; text: string; shown: Content };

/** How often, and after what pause (ms) at most, a stream is finished that the platform slows down. */
const maxFinishes = 3;
const maxFinishPauseMs = 3_000;

/**
 * A message as the turn's log knows it.
 * @param events what is stored of the turn
 * @param tag which message of the turn it is
 * @param other a message with this tag that is another one, and stays as it is
 */
export function createPostedMessage(
  turn: PresentedTurn,
  events: readonly TurnEvent[],
  { purpose, part }: Pick<MessageTag, "purpose" | "part">,
  other?: string,
): PostedMessage {
  const { platform, place, to, logger, turn_id } = turn;
  const tag = { turn_id, purpose, part };
  const last = lastReference(events, purpose, part);
  const known = last === other ? undefined : last;
  let state: State =
    known === undefined ? { at: turn.resumed ? "maybe" : "absent" } : { at: "posted", reference: known };
  let mayStream = purpose === "answer" && part === 0 && platform.openStream !== undefined;
  /** What the last `show` showed, while nothing else was written since. */
  let shown: string | undefined;
  let isOurs = false;
  /** Whom it called when it was posted; undefined when another process did that. */
  let called: ReadonlySet<string> | undefined;

  const referenceOf = () => ("reference" in state ? state.reference : undefined);
  const namedIn = ({ markdown, calls = [] }: Content) =>
    [...new Set([...turn.calls, ...calls])].filter((id) => mentions(markdown, id));
  const outgoing = (content: Content) => {
    const named = namedIn(content);
    return redactMessage({ ...content, tag, ...(named.length === 0 ? {} : { calls: named }) }, turn.redact);
  };

  const look = async (gone = other) => {
    if (state.at !== "maybe") return;
    const found = await platform.find(place, tag);
    state = found === undefined || found === gone ? { at: "absent" } : { at: "posted", reference: found };
  };
  /** False when there is none to edit, or it is gone. */
  const edit = async (content: Content): Promise<boolean> => {
    const reference = referenceOf();
    if (reference === undefined) return false;
    try {
      await platform.edit(place, reference, outgoing(content));
      return true;
    } catch (error) {
      if (platformErrorOf(error).code !== "gone") throw error;
      state = { at: "absent" };
      return false;
    }
  };
  const put = async (content: Content): Promise<string> => {
    shown = undefined;
    const before = referenceOf();
    await look();
    if (!(await edit(content))) {
      // After the one that was known is gone, a later one may have been posted and not noted.
      if (before !== undefined) {
        state = { at: "maybe" };
        await look(before);
      }
      if (!(await edit(content))) await post(content);
    }
    return referenceOf() ?? "";
  };
  const post = async (content: Content) => {
    try {
      state = { at: "posted", reference: await platform.post(place, outgoing(content), to) };
      called = new Set(namedIn(content));
    } catch (error) {
      if (platformErrorOf(error).code === "unavailable") state = { at: "maybe" };
      throw error;
    }
  };

  const show = async (content: Content) => {
    const text = JSON.stringify(content);
    if (text === shown) return;
    await put(content);
    shown = text;
    isOurs = true;
  };
  /** False when the platform's stream cannot be used. */
  const stream = async (text: string, content: Content): Promise<boolean> => {
    await look();
    if (state.at === "posted" || isVoid(text)) return false;
    try {
      await append(text, content);
      return true;
    } catch (thrown) {
      const { code } = platformErrorOf(thrown);
      if (code === "rate_limited") throw thrown;
      logger.debug({ err: thrown, turn_id }, "The platform's stream broke; the message is edited instead");
      mayStream = false;
      if (detach() === undefined && code === "unavailable") state = { at: "maybe" };
      return false;
    }
  };
  /** Whether it shows what is no longer said: a stream only grows. It may be cut elsewhere than it was. */
  const isVoid = (text: string): boolean => {
    if (state.at !== "streaming" || text.startsWith(state.text)) return false;
    if (text !== "" && state.text.startsWith(text)) return false;
    mayStream = false;
    detach();
    return true;
  };
  const append = async (text: string, content: Content) => {
    if (state.at !== "streaming") return openStream({ ...content, markdown: text });
    const now = state;
    const { progress } = content;
    if (progress !== undefined && JSON.stringify(progress) !== JSON.stringify(now.shown.progress))
      await now.stream.progress(turn.redact(progress));
    now.shown = content;
    if (text.length <= now.text.length) return;
    await now.stream.append(text.slice(now.text.length), [...turn.calls]);
    now.text = text;
  };
  const openStream = async (start: Content) => {
    const opened = await platform.openStream?.(place, tag, to, {
      ...turn.redact(start),
      calls: [...turn.calls],
    });
    if (opened === undefined) return;
    const { reference } = opened;
    state = { at: "streaming", reference, stream: opened, text: start.markdown, shown: start };
    isOurs = true;
  };
  /** False when the platform keeps it. */
  const remove = async (): Promise<boolean> => {
    const reference = referenceOf();
    if (reference === undefined) return true;
    try {
      if (state.at === "streaming") await state.stream.cancel();
      else await platform.remove(place, reference);
      return true;
    } catch (error) {
      logger.debug({ err: error, turn_id }, "A message that is void could not be taken away");
      return false;
    } finally {
      shown = undefined;
    }
  };
  /** The stream is no longer ours to write to. */
  const detach = () => {
    if (state.at !== "streaming") return undefined;
    const { stream: open, reference, text, shown: content } = state;
    state = { at: "posted", reference };
    return { open, content: { ...content, markdown: closeFence(text) } };
  };

  return {
    tag,
    get reference() {
      return referenceOf();
    },
    get isStreaming() {
      return state.at === "streaming";
    },
    callsUnnoticed(content) {
      if (state.at !== "posted" || called === undefined) return false;
      return namedIn(content).some((id) => id !== to.person && called?.has(id) === false);
    },
    async adopt() {
      await look();
      return referenceOf();
    },
    show,
    async grow(text, content) {
      if (!mayStream || !(await stream(text, content))) await show(content);
    },
    publish: (content) => persist(turn, content, put),
    async finish(content) {
      const open = detach()?.open;
      if (open === undefined) return undefined;
      for (let tries = 1; ; tries += 1) {
        try {
          await open.finish(outgoing(content));
          return open.reference;
        } catch (thrown) {
          const error = platformErrorOf(thrown);
          logger.debug({ err: thrown, turn_id }, "A stream was not finished");
          if (error.code !== "rate_limited" || tries >= maxFinishes) return undefined;
          const pause = Math.min(error.retryAfterMs ?? 1_000, maxFinishPauseMs);
          await turn.clock.sleep(pause, turn.givenUp);
        }
      }
    },
    async amend(content) {
      const reference = referenceOf();
      shown = undefined;
      if (reference !== undefined) await platform.edit(place, reference, outgoing(content));
    },
    async takeAway() {
      if (!isOurs || referenceOf() === undefined) return false;
      isOurs = false;
      const isAway = await remove();
      if (isAway) state = { at: "absent" };
      else detach();
      return isAway;
    },
    async drop() {
      if (referenceOf() === undefined) return false;
      const isAway = await remove();
      state = { at: "absent" };
      return isAway;
    },
    async leave() {
      const left = detach();
      await left?.open.finish(outgoing(left.content));
    },
  };
}

/** Whether a text mentions a person or a group. */
function mentions(markdown: string, id: string): boolean {
  return markdown.includes(`<@${id}>`) || markdown.includes(`<@&${id}>`);
}

/** The message that was posted last for this purpose, if one was. */
export function lastReference(
  events: readonly TurnEvent[],
  purpose: MessageTag["purpose"],
  part: number,
): string | undefined {
  const posted = events.findLast(
    (event) => event.type === "message_posted" && event.purpose === purpose && event.part === part,
  );
  return posted?.type === "message_posted" ? posted.reference : undefined;
}
