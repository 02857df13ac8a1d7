import type { Earlier, Sentence, SurfaceName } from "./sentences.ts";

/** Something the bot posted, as people see it. */
export interface Posted {
  text: string;
  /** Its steps, where the platform shows them apart from the text. */
  progress?: string | undefined;
  /** Where: a channel by name, or `dm:NAME`. */
  where: string;
  /** Whether it stands in the channel itself, in no thread. */
  top: boolean;
  /** Who alone sees it; undefined: everybody there. */
  only?: string | undefined;
  /** People and groups it calls, by name. */
  calls: readonly string[];
  /** Labels of what can be pressed. */
  buttons: readonly string[];
  files: readonly string[];
  /** Tables and charts that the platform draws itself. */
  data?: readonly object[];
}

/** One thing that was said to the bot. */
export interface Talk {
  /** Everything the bot posted since, oldest first. */
  posted(): Promise<Posted[]>;
  press(label: string): Promise<void>;
}

/** A place with people in it where sentences are said to the bot. */
export interface Stage {
  name: SurfaceName;
  /** What people said before the sentence. */
  prepare(earlier: readonly Earlier[]): Promise<void>;
  /** Begins a conversation with a sentence; `answered` first if it says so. */
  say(sentence: Sentence): Promise<Talk>;
  /** All that the bot shows to anybody, everywhere. */
  everything(): Promise<string>;
  /** Messages that are pinned, and the bot's reactions with the message they stand at. */
  marks(): Promise<{ pinned: string[]; reactions: { to: string; emoji: string }[] }>;
  /** Something else happens that the bot may wait for. */
  happen(what: "message" | "reaction", text: string): Promise<void>;
  /** Plans something far away, so that what is due is looked at now. */
  wake(): Promise<void>;
  /** The list of what is planned in the channel. */
  planned(): Promise<string>;
}
