import { z } from "zod";

const count = z.number().int().positive();

/** How much comes back by itself, and how often. */
export const schedulesSchema = z.strictObject({
  least_minutes: z
    .number()
    .min(1)
    .max(1440)
    .default(5)
    .describe("Least time between two runs of a schedule, in minutes"),
  per_channel: count.max(500).default(20).describe("Schedules, reminders and triggers of one channel"),
  per_person: count.max(500).default(10).describe("Of these, made by one person in it"),
  late_minutes: z
    .number()
    .min(0)
    .max(10_080)
    .default(60)
    .describe("A task that the bot missed is still done so many minutes later; reminders always are"),
  open_turns: count
    .max(20)
    .default(3)
    .describe("Turns of one trigger at the same time; it begins one a minute at most"),
});
