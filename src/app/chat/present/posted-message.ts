import type { TurnEvent } from "../../../core/log/turn-event.ts";
import type { AnswerStream, MessageTag, OutgoingMessage } from "../../../core/ports/chat-platform.ts";
import { closeFence } from "./markdown-fences.ts";
import type { PresentedTurn } from "./presented-turn.ts";
import { type Content, type Published, persist, platformErrorOf, redactMessage } from "./publish-message.ts";

type State =
  | { at: "absent" }
  /** It may have been posted by another process: it is looked up before posting. */
  | { at: "maybe" }
  | { at: "posted"; reference: string }
  /** The stream has received `text` and the progress of `shown` so far. */
  | { at: "streaming"; reference: string; stream: AnswerStream; text: string; shown: Content };

/** Maximum attempts to finish a rate-limited stream, and maximum pause between them, ms. */
const maxFinishes = 3;
const maxFinishPauseMs = 3_000;

/** One message of a turn. It is posted at most once, even across crashes. Calls must not overlap. */
export class PostedMessage {
  readonly tag: MessageTag;
  readonly #turn: PresentedTurn;
  readonly #other: string | undefined;
  #state: State;
  #mayStream: boolean;
  /** The content of the last `show`, while nothing else has been written since. */
  #shown: string | undefined;
  #isOurs = false;
  /** The people it mentioned when it was posted; undefined when another process posted it. */
  #called: ReadonlySet<string> | undefined;

  /**
   * A message in the state that the turn's log records.
   * @param events the stored events of the turn
   * @param tag identifies the message within the turn
   * @param other reference of a different message with the same tag, which must stay unchanged
   */
  constructor(
    turn: PresentedTurn,
    events: readonly TurnEvent[],
    { purpose, part }: Pick<MessageTag, "purpose" | "part">,
    other?: string,
  ) {
    this.#turn = turn;
    this.#other = other;
    this.tag = { turn_id: turn.turn_id, purpose, part };
    const last = lastReference(events, purpose, part);
    if (last !== undefined && last !== other) this.#state = { at: "posted", reference: last };
    else this.#state = { at: turn.resumed ? "maybe" : "absent" };
    this.#mayStream = purpose === "answer" && part === 0 && turn.platform.openStream !== undefined;
  }

  /** The reference of the posted message, as far as known. */
  get reference(): string | undefined {
    return "reference" in this.#state ? this.#state.reference : undefined;
  }

  /** Whether it is growing in the platform's stream. */
  get isStreaming(): boolean {
    return this.#state.at === "streaming";
  }

  /** Whether this mentions somebody whom the message did not mention when this process posted it: an edit notifies nobody. */
  callsUnnoticed(content: Content): boolean {
    const called = this.#called;
    if (this.#state.at !== "posted" || called === undefined) return false;
    return this.#namedIn(content).some((id) => id !== this.#turn.to.person && !called.has(id));
  }

  /** Looks it up if a worker that died may have posted it. Returns its reference. @throws the errors of the platform */
  async adopt(): Promise<string | undefined> {
    await this.#look();
    return this.reference;
  }

  /** Posts this, or edits the posted message, unless it shows this already. @throws PlatformError, or any error of the platform */
  async show(content: Content): Promise<void> {
    const text = JSON.stringify(content);
    if (text === this.#shown) return;
    await this.#put(content);
    this.#shown = text;
    this.#isOurs = true;
  }

  /**
   * Shows growing progress and text, in the platform's stream if it may use one, otherwise as `show` does. `text` is the text of
   * `content` as written so far. @throws as `show`
   */
  async grow(text: string, content: Content): Promise<void> {
    if (!this.#mayStream || !(await this.#growStream(text, content))) await this.show(content);
  }

  /** Posts or edits it, with retries for some seconds. Rejects only when the turn is given up. */
  publish(content: Content): Promise<Published> {
    return persist(this.#turn, content, (now) => this.#put(now));
  }

  /** Ends its stream with this. Undefined when it has none, or when that failed: then the message has to be edited. */
  async finish(content: Content): Promise<string | undefined> {
    const { logger, turn_id, clock, givenUp } = this.#turn;
    const open = this.#detach()?.open;
    if (open === undefined) return undefined;
    for (let tries = 1; ; tries += 1) {
      try {
        await open.finish(this.#outgoing(content));
        return open.reference;
      } catch (thrown) {
        const error = platformErrorOf(thrown);
        logger.debug({ err: thrown, turn_id }, "A stream was not finished");
        if (error.code !== "rate_limited" || tries >= maxFinishes) return undefined;
        await clock.sleep(Math.min(error.retryAfterMs ?? 1_000, maxFinishPauseMs), givenUp);
      }
    }
  }

  /** Edits it if it is posted, without retries. @throws the errors of the platform */
  async amend(content: Content): Promise<void> {
    const { platform, place } = this.#turn;
    this.#shown = undefined;
    if (this.reference !== undefined) await platform.edit(place, this.reference, this.#outgoing(content));
  }

  /** Removes it if this process has shown it. False: it remains, and is overwritten later. */
  async takeAway(): Promise<boolean> {
    if (!this.#isOurs || this.reference === undefined) return false;
    this.#isOurs = false;
    const isAway = await this.#remove();
    if (isAway) this.#state = { at: "absent" };
    else this.#detach();
    return isAway;
  }

  /** Removes it even if another process has shown it. False: it remains, but is no longer this message. */
  async drop(): Promise<boolean> {
    if (this.reference === undefined) return false;
    const isAway = await this.#remove();
    this.#state = { at: "absent" };
    return isAway;
  }

  /** Ends its stream with the text so far, so that another process can continue. @throws PlatformError */
  async leave(): Promise<void> {
    const left = this.#detach();
    await left?.open.finish(this.#outgoing(left.content));
  }

  #namedIn({ markdown, calls = [] }: Content): string[] {
    return [...new Set([...this.#turn.calls, ...calls])].filter((id) => mentions(markdown, id));
  }

  #outgoing(content: Content): OutgoingMessage {
    const calls = this.#namedIn(content);
    const message = { ...content, tag: this.tag, ...(calls.length === 0 ? {} : { calls }) };
    return redactMessage(message, this.#turn.redact);
  }

  async #look(gone = this.#other): Promise<void> {
    // post-1
    if (this.#state.at !== "maybe") return;
    const found = await this.#turn.platform.find(this.#turn.place, this.tag);
    this.#state =
      found === undefined || found === gone ? { at: "absent" } : { at: "posted", reference: found };
  }

  async #put(content: Content): Promise<string> {
    this.#shown = undefined;
    const before = this.reference;
    await this.#look();
    if (!(await this.#edit(content))) {
      // The known message is gone, but a later one may have been posted without being noted.
      if (before !== undefined) {
        this.#state = { at: "maybe" };
        await this.#look(before);
      }
      if (!(await this.#edit(content))) await this.#post(content);
    }
    return this.reference ?? "";
  }

  /** False when there is no message to edit. */
  async #edit(content: Content): Promise<boolean> {
    const { platform, place } = this.#turn;
    if (this.reference === undefined) return false;
    try {
      await platform.edit(place, this.reference, this.#outgoing(content));
      return true;
    } catch (error) {
      if (platformErrorOf(error).code !== "gone") throw error;
      this.#state = { at: "absent" };
      return false;
    }
  }

  async #post(content: Content): Promise<void> {
    const { platform, place, to } = this.#turn;
    try {
      this.#state = { at: "posted", reference: await platform.post(place, this.#outgoing(content), to) };
      this.#called = new Set(this.#namedIn(content));
    } catch (error) {
      if (platformErrorOf(error).code === "unavailable") this.#state = { at: "maybe" };
      throw error;
    }
  }

  /** False when the platform's stream cannot be used. */
  async #growStream(text: string, content: Content): Promise<boolean> {
    await this.#look();
    if (this.#state.at === "posted" || this.#leaveVoid(text)) return false;
    try {
      await this.#append(text, content);
      return true;
    } catch (thrown) {
      const { code } = platformErrorOf(thrown);
      if (code === "rate_limited") throw thrown;
      const { logger, turn_id } = this.#turn;
      logger.debug({ err: thrown, turn_id }, "The platform's stream broke; the message is edited instead");
      this.#mayStream = false;
      if (this.#detach() === undefined && code === "unavailable") this.#state = { at: "maybe" };
      return false;
    }
  }

  /** Leaves a stream whose text is obsolete, since a stream only grows. A shorter prefix of it is not: the text may be split elsewhere now. */
  #leaveVoid(text: string): boolean {
    if (this.#state.at !== "streaming" || text.startsWith(this.#state.text)) return false;
    if (text !== "" && this.#state.text.startsWith(text)) return false;
    this.#mayStream = false;
    this.#detach();
    return true;
  }

  async #append(text: string, content: Content): Promise<void> {
    const { redact, calls } = this.#turn;
    const now = this.#state;
    if (now.at !== "streaming") return this.#openStream({ ...content, markdown: text });
    const { progress } = content;
    if (progress !== undefined && JSON.stringify(progress) !== JSON.stringify(now.shown.progress))
      await now.stream.progress(redact(progress));
    now.shown = content;
    if (text.length <= now.text.length) return;
    await now.stream.append(text.slice(now.text.length), [...calls]);
    now.text = text;
  }

  async #openStream(start: Content): Promise<void> {
    const { platform, place, to, redact, calls } = this.#turn;
    const stream = await platform.openStream?.(place, this.tag, to, { ...redact(start), calls: [...calls] });
    if (stream === undefined) return;
    const { reference } = stream;
    this.#state = { at: "streaming", reference, stream, text: start.markdown, shown: start };
    this.#isOurs = true;
  }

  /** False when the platform could not remove it. */
  async #remove(): Promise<boolean> {
    const { platform, place, logger, turn_id } = this.#turn;
    if (this.reference === undefined) return true;
    try {
      if (this.#state.at === "streaming") await this.#state.stream.cancel();
      else await platform.remove(place, this.reference);
      return true;
    } catch (error) {
      logger.debug({ err: error, turn_id }, "An obsolete message could not be removed");
      return false;
    } finally {
      this.#shown = undefined;
    }
  }

  /** Stops writing to the stream, and returns it. */
  #detach(): { open: AnswerStream; content: Content } | undefined {
    if (this.#state.at !== "streaming") return undefined;
    const { stream: open, reference, text, shown } = this.#state;
    this.#state = { at: "posted", reference };
    return { open, content: { ...shown, markdown: closeFence(text) } };
  }
}

/** Whether a text mentions a person or a group. */
function mentions(markdown: string, id: string): boolean {
  return markdown.includes(`<@${id}>`) || markdown.includes(`<@&${id}>`);
}

/** The reference of the last message posted for this purpose, if any. */
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
