/** Whether plans of others may write to a person. */
import { z } from "zod";
import { operation } from "../operation.ts";
import { idIn } from "./schedules.ts";

const id = z.string().min(1).max(40).describe("as the message or the question says it");

const consents = {
  accept: {
    agrees: true,
    description: "Lets a schedule or trigger of somebody else write to you",
    done: "may write to you",
  },
  refuse: {
    agrees: false,
    description: "Ends direct messages that somebody else's schedule sends you",
    done: "no longer writes to you",
  },
} as const;

export const consentToSchedule = operation({
  name: "schedule.consent",
  input: z.object({ id, agrees: z.boolean() }),
  output: z.object({ id, agrees: z.boolean() }),
  who: "anyone",
  chat: (["accept", "refuse"] as const).map((word) => ({
    command: `agent schedule ${word}`,
    description: consents[word].description,
    options: [{ name: "id", description: "The id, as the message or the question says it", required: true }],
    read: (words) => (words === "" ? undefined : { id: idIn(words), agrees: consents[word].agrees }),
    missing: `Which one? \`/agent schedule ${word} <id>\`; its messages say the id.`,
  })),
  text: ({ id: known, agrees }) => `\`${known}\` ${consents[agrees ? "accept" : "refuse"].done}.`,
  async run({ input: { id: known, agrees }, asker: { by }, services: { schedules } }) {
    if ((await schedules.receivers(known))[by.id] === undefined)
      return {
        ok: false,
        status: 404,
        message: `No schedule or trigger ${known} has asked to write to you.`,
      };
    await schedules.agree(known, by.id, agrees);
    return { ok: true, value: { id: known, agrees } };
  },
  audit: ({ id: known, agrees }) => ({
    action: agrees ? "schedule_accepted" : "schedule_declined",
    subject: known,
    detail: `${agrees ? "accepts" : "no longer accepts"} direct messages of **${known}**`,
  }),
});
