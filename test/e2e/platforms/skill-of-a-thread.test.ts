import { beforeAll, describe, it } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";

/** A thread in which a channel was looked at, made a skill by buttons. */
const fixture = usePlatformBot();
beforeAll(() => fixture().start());

const read = { call: "chat_read", with: { most: 5 } };
const guide = (name: string) => `---
name: quiet-check-${name}
description: Says whether the channel is quiet. Use it for a quiet check.
---
# Quiet check
Read the last five messages of the channel, and say in one line whether it is quiet.
`;

describe.each(["slack", "discord"] as const)("a skill out of a thread on %s", (name) => {
  it("a skill is asked for by a button, tried, accepted by a manager, used, and improved after 👎", async () => {
    const { model, surfaces } = fixture();
    const surface = surfaces[name];
    const id = `quiet-check-${name}`;
    model.when("is it quiet", ({ results }) => (results.length === 0 ? [read] : ["It is quiet."]));
    model.when("Make this thread a skill", ({ results }) =>
      results.length === 0
        ? [
            {
              call: "skill-maker",
              with: { text: guide(name), request: "quiet check", why: "to know whether it is quiet" },
            },
          ]
        : [`Kept: ${results[0]?.includes(id) ? id : results[0]}`],
    );
    model.when("[The request:]", ({ results }) => (results.length === 0 ? [read] : ["It is quiet."]));
    const thread = await surface.ask("is it quiet");
    await surface.shows(thread, "It is quiet.");
    await surface.press(thread, "Make this a skill");
    await surface.shows(thread, `make “${id}” a skill of this channel`);
    await surface.shows(thread, "1 of 1 calls as recorded");
    await surface.press(thread, "Approve", "manager");
    await surface.shows(thread, `Kept: ${id}`);

    model.when(`quiet check with ${id}`, ({ results }) =>
      results.length === 0
        ? [{ call: "activate_skill", with: { skill_name: id } }]
        : results.length === 1
          ? [read]
          : ["Quiet as ever."],
    );
    model.when("was not good", ({ results }) =>
      results.length === 0 ? [{ call: "ask_user", with: { question: "What was wrong?" } }] : ["Understood."],
    );
    const later = await surface.ask(`quiet check with ${id}`);
    await surface.shows(later, "Quiet as ever.");
    await surface.press(later, "👎");
    await surface.shows(later, "What was wrong?");
  });
});
