/** Files that people sent and tools made. Kept until the turn they belong to is forgotten. */
export interface FileStore {
  /** Stores a file of a turn under a name that is free in it. @throws when it cannot be stored */
  put(turnId: string, file: { name: string; media_type: string; data: Uint8Array }): Promise<StoredFile>;
  /** Undefined when there is none. */
  get(turnId: string, name: string): Promise<{ file: StoredFile; data: Uint8Array } | undefined>;
  /** Removes all files of a turn. */
  forget(turnId: string): Promise<void>;
}

export interface StoredFile {
  /** Unique in its turn; safe as the name of a file. */
  name: string;
  media_type: string;
  bytes: number;
}
