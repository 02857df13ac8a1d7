/** What was read with a message. */
export interface MessageContext {
  thread: readonly HeardMessage[];
  files: readonly ReadFile[];
  /** What could not be read, or was left out, in words. */
  notes?: readonly string[] | undefined;
  /** Of the times of its messages, IANA name; absent where it is unknown and in logs of earlier versions: then they are of UTC. */
  time_zone?: string | undefined;
}

/** Somebody else's message of the thread the bot was called into. */
export interface HeardMessage {
  /** The platform's id of it: what was heard once is not heard again. */
  id?: string | undefined;
  by: string;
  /** The platform's id of who wrote it; absent in logs of earlier versions. */
  author?: string | undefined;
  text: string;
  at: number;
  /** Written by a bot. */
  bot?: true | undefined;
  /** Written by a guest, by somebody of another company, or by somebody the platform does not tell of. */
  outside?: true | undefined;
}

/** A file as far as the bot could read it. `problem` says why it could not. */
export interface ReadFile {
  name: string;
  media_type: string;
  bytes: number;
  /** Who sent it, when it was not the asker. */
  by?: string | undefined;
  /** The platform's id of who sent it; absent as `by` is, and in logs of earlier versions. */
  author?: string | undefined;
  /** Its text, cut to the budget. */
  text?: string | undefined;
  /** Set where `text` is what is said in it. `is_message`: the asker wrote nothing, and these words are the message. */
  spoken?: { seconds?: number | undefined; is_message?: true | undefined } | undefined;
  /** Where it lies in the working folder; absent where it could not be kept, and in logs of earlier versions. */
  path?: string | undefined;
  /** Of earlier versions: name in the file store, for a text that was cut: all of it, as UTF-8. */
  whole?: string | undefined;
  /** Name in the file store, for images the model is shown. */
  image?: string | undefined;
  problem?: string | undefined;
}
