import type { Outcome } from "../../core/values/failure.ts";
import type { Author } from "../../core/values/inbound.ts";

/** Whether a channel's messages are indexed, and how many there are. */
export interface ChannelIndexStatus {
  on: boolean;
  messages: number;
  /** ms since the epoch. */
  since?: number | undefined;
  by?: string | undefined;
  /** Earlier messages are still being read. */
  filling: boolean;
}

/** The index of channels' messages, which a manager switches on where a platform has no search. */
export interface ChannelIndex {
  isOn(namespace: string): Promise<boolean>;
  status(namespace: string): Promise<ChannelIndexStatus>;
  /** Switches it on, says so in the channel, and reads what was said before in the background. */
  switchOn(namespace: string, by: Author): Promise<Outcome<ChannelIndexStatus>>;
  /** Deletes all of it and says so in the channel. */
  switchOff(namespace: string, by: Author): Promise<Outcome<ChannelIndexStatus>>;
  /** Reads what was said while the bot was down, and goes on with what was begun. */
  start(): void;
  stop(): Promise<void>;
}
