/** The intake for events of chat platforms. Every method resolves once the event is stored or decided; only then does the platform acknowledge it. */
import type { FileReference, GivenCommand, LookedAt, Mention } from "../../core/values/inbound.ts";
import type { Place } from "../../core/values/place.ts";
import type { SkillForm } from "./skill-form.ts";

/** A message somebody wrote where the bot can read. */
export interface ChatMessage {
  /** The same for every delivery of a message: team, channel and message id, never the event's id. */
  key: string;
  /**
   * The place of the message: its thread, or the thread that an answer would open. Where direct messages have no threads, they
   * all belong to the thread `dm`.
   */
  place: Place;
  /** The platform's id of the message. */
  id: string;
  /** Platform user id. */
  author: string;
  /** Whether a bot wrote it. The bot's own messages are never handed in. */
  by_bot: boolean;
  /** Without the mention of the bot; other people, channels and roles in readable form (`@Ada`, `#general`). */
  text: string;
  /** ms since the epoch. */
  said_at: number;
  /** How the message addresses the bot: by a mention, as a direct message, as a reply to one of its messages, or not at all. */
  addressed: "mention" | "direct" | "reply" | "none";
  /** Whether it mentions people other than the bot. */
  mentions_others: boolean;
  /** The people and groups it mentions, without the bot; at most 50. */
  mentions?: readonly Mention[] | undefined;
  /** Whether it belongs to a thread that existed before it. */
  in_thread: boolean;
  files: readonly FileReference[];
  /** What its author looks at beside the conversation, if the platform tells; at most 3. */
  looking_at?: readonly LookedAt[] | undefined;
  /** Found when catching up after a time without connection. */
  missed?: true | undefined;
}

/** A slash command, or a filled form for one. */
export interface ChatCommand {
  key: string;
  place: Place;
  /** Identifies the command for the answer (`ReplyTarget.message`). */
  id: string;
  author: string;
  /** With its slash: `/skill enable memory`. */
  text: string;
  /** For a form: the command that the text represents. */
  command?: GivenCommand | undefined;
  said_at: number;
}

/** A press of one of the bot's buttons. */
export interface ButtonPress {
  place: Place;
  /** Identifies the press for a private answer. */
  id: string;
  person: string;
  /** The id stored with the button (`writeButtonId`). */
  button: string;
  /** The message the button is on. */
  reference: string;
  /** The text of the form that the button opened (`ChatIntake.formOfPress`). */
  text?: string;
}

/** A form with one text, which a button opens. Submitting it is a press of the button with the text. */
export interface TextForm {
  title: string;
  label: string;
  text: string;
  submit: string;
}

/** A person's message whose text has changed. */
export interface ChatEdit extends ChatMessage {
  /** ms since the epoch. */
  edited_at: number;
}

/** Somebody's reaction to a message. */
export interface ChatReaction {
  /**
   * The place of the message. Slack does not name the thread of a reply here: then this is the thread that the reply would open, and
   * `ChatActions.message` finds the right one.
   */
  place: Place;
  /** The message's reference (`ChatActions`). */
  reference: string;
  person: string;
  /** The emoji's name where the platform names it (`thumbsup`; Discord's own emoji), else the character without a skin tone. */
  emoji: string;
  added: boolean;
  /** ms since the epoch. */
  at: number;
  /** The same for every delivery of the same reaction. */
  key: string;
}

/** Listens to events in channels, in addition to the turns they start. Never rejects; called before the event is acknowledged. */
export interface ChatListener {
  /** A message, whether or not it is for the bot; called again after an edit. Never called for the bot's own messages. */
  heard?(message: ChatMessage & { edited_at?: number }): Promise<void>;
  removed?(gone: { key: string; place: Place; id?: string }): Promise<void>;
  reacted?(reaction: ChatReaction): Promise<void>;
  left?(namespace: string): Promise<void>;
}

/** What to catch up with after a time without connection. Times are ms since the epoch. */
interface Missed {
  /** The last `seen`, of this process or another; undefined if there was none. */
  seen: number | undefined;
  since: number;
  places: readonly Place[];
}

export interface ChatIntake {
  /** @throws when it could not be stored: do not acknowledge it, so that it is delivered again */
  message(message: ChatMessage): Promise<void>;
  command(command: ChatCommand): Promise<void>;
  press(press: ButtonPress): Promise<void>;
  /** Somebody stops the work in a thread by the platform's own control. `id` identifies that for a private answer. */
  stopped(stop: { place: Place; person: string; id: string }): Promise<void>;
  /** The text of a message may have changed. Edits that change no text (link previews) have no effect. */
  edited(edit: ChatEdit): Promise<void>;
  /** A message was deleted: stops its turn, or deletes its answer. */
  removed(gone: { key: string; place: Place; id?: string }): Promise<void>;
  /** Somebody added or removed a reaction to a message. */
  reacted(reaction: ChatReaction): Promise<void>;
  /** The bot was invited to a channel. Greets once. `by` is the person who invited it, if known. */
  joined(channel: { namespace: string; by?: string | undefined }): Promise<void>;
  /** The bot has left the namespace. */
  left(namespace: string): Promise<void>;
  /**
   * Why somebody may not use the bot in a place, in words for them; undefined when they may. For views that a platform shows without
   * calling this intake; everything handed in is checked anyway. @throws PlatformError
   */
  refusal(place: Place, person: string): Promise<string | undefined>;
  /**
   * The form for a skill's parameters, or of a command (`SkillForm.skill_id`); undefined for an unknown skill, for one without parameters, and for somebody who may not use
   * the bot there (their command tells them why). @throws PlatformError
   */
  form(skillId: string, place: Place, person: string): Promise<SkillForm | undefined>;
  /** The same for a command with nothing but the name of a skill, `/skill run weather`, or without what it needs; undefined for all others. */
  formOfCommand(text: string, place: Place, person: string): Promise<SkillForm | undefined>;
  /**
   * The form that a button opens; undefined for buttons without a form, and for people for whom it has none, whom the press tells why.
   * @throws PlatformError
   */
  formOfPress(press: ButtonPress): Promise<TextForm | undefined>;
  /** Three prompts that fit the place, and what the person looks at beside it, for greetings and suggestions. */
  suggestions(place: Place, lookingAt?: readonly LookedAt[]): Promise<{ title: string; message: string }[]>;
  /**
   * The places to catch up with after a time without connection, those used last first, and from when (ms since the epoch, limited by the
   * configuration; a little earlier than the last `seen`, since known messages are not taken again). A place is a thread that was active
   * in that time, `dm` for direct messages outside of threads, or the channel itself (`channelThread`). Threads of runs through the API,
   * which the platform does not know, are left out.
   *
   * `parts` names the parts of the platform whose events this process receives, if several processes share them: `since` is then the
   * earliest time of these parts.
   */
  missed(platform: string, parts?: readonly string[]): Promise<Missed>;
  /**
   * Everything up to now was received, or everything of these parts. May be called as often as needed while connected: it is stored once
   * a minute.
   */
  seen(platform: string, parts?: readonly string[]): Promise<void>;
}
