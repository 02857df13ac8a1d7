import type { TriggerCondition } from "../../../../src/core/ports/schedules.ts";
import { channel, createScheduleWorld } from "../../../support/skills/schedule-world.ts";

/** A bot with one trigger of Ann's; `heard` is a message of Ben's, each in a thread of its own unless told. */
export async function withTrigger(condition: TriggerCondition, world = createScheduleWorld()) {
  const bot = world.start();
  const view = await bot.make({ what: "trigger", text: "say who is on call", condition });
  let count = 0;
  const heard = (text: string, more: object = {}) => {
    count += 1;
    return bot.service.watch.heard({
      ...{
        key: `m${count}`,
        place: { ...channel, thread: `${count}.0` },
        author: "ben",
        by_bot: false,
        text,
      },
      ...{ said_at: world.clock.now(), addressed: "none", in_thread: false, ...more },
    });
  };
  return { ...bot, world, view, heard, taken: () => [...world.taken.values()] };
}
