import { z } from "zod";
import type { Outcome } from "../../core/values/failure.ts";
import type { Author } from "../../core/values/inbound.ts";
import { milliseconds } from "./shapes.ts";

/** Whether a channel's messages are indexed, and how many there are. */
export const channelIndexStatus = z.object({
  on: z.boolean(),
  messages: z.number().describe("messages in the index"),
  since: milliseconds.optional().describe("time of the first message"),
  by: z.string().optional().describe("name of the person who switched it on"),
  filling: z.boolean().describe("earlier messages are still being read"),
});
export type ChannelIndexStatus = z.infer<typeof channelIndexStatus>;

/** The index of a channel's messages, which a manager switches on where the platform has no search. */
export interface ChannelIndex {
  isOn(namespace: string): Promise<boolean>;
  status(namespace: string): Promise<ChannelIndexStatus>;
  /** Switches the index on, announces it in the channel, and reads earlier messages in the background. */
  switchOn(namespace: string, by: Author): Promise<Outcome<ChannelIndexStatus>>;
  /** Deletes the index and announces it in the channel. */
  switchOff(namespace: string, by: Author): Promise<Outcome<ChannelIndexStatus>>;
  /** Reads messages from while the bot was down, and continues to read earlier ones where that was interrupted. */
  start(): void;
  stop(): Promise<void>;
}
