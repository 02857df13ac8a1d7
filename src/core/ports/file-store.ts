/** Files that people sent and tools made. Kept until the turn they belong to is forgotten, or they are old. */
export interface FileStore {
  /**
   * Stores a file of a turn under a name made of the given one: safe, and free in the turn. The same file under the same name is
   * kept once. A file called `replaces` is overwritten instead and keeps its name. A file is there whole or not at all.
   * @throws when it cannot be stored
   */
  put(turnId: string, file: NewFile, replaces?: string): Promise<StoredFile>;
  /** Undefined when there is none. */
  get(turnId: string, name: string): Promise<{ file: StoredFile; data: Uint8Array } | undefined>;
  /** Removes one file, if it is there. */
  remove(turnId: string, name: string): Promise<void>;
  /** Removes all files of a turn. */
  forget(turnId: string): Promise<void>;
  /**
   * The turns that have files, in no order, and when something was last stored or removed there, ms since the epoch. Turns that get or
   * lose files meanwhile may be missing or present.
   */
  turns(): AsyncIterable<{ turn_id: string; changed_at: number }>;
}

export interface NewFile {
  name: string;
  media_type: string;
  data: Uint8Array;
}

export interface StoredFile {
  /** Unique in its turn; safe as the name of a file. */
  name: string;
  media_type: string;
  bytes: number;
}
