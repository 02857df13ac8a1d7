/** A platform's line to the outside, as the composition root starts and stops it. */
export interface ChatConnection {
  /** `slack`, `discord`. */
  readonly id: string;
  /** Begins to connect and keeps trying. Never rejects: what is wrong is logged and told by `status`. */
  start(): void;
  /** Takes no more events, waits for those being stored, and disconnects. */
  stop(): Promise<void>;
  /** Whether it is connected, or what is wrong and what to do. */
  status(): { ok: boolean; detail: string };
}
