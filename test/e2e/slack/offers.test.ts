import { expect, test } from "vitest";
import { updateNamespace } from "../../../src/core/skill/namespace-state.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { slackText } from "../../support/bot/platform-slack.ts";
import { impatientClock, offeringModel } from "../../support/models/offering-model.ts";
import { buttonsOf } from "../../support/surfaces/slack-chat.ts";
import { answers, fakeSlack, slackBot } from "../support/slack-bot.ts";

const general = "C0GENERAL";
const ben = { user: "U0BEN", channel: general };

test("an offer to answer is seen by its asker alone, and taken with a click", async () => {
  const slack = await fakeSlack();
  const store = createMemoryKeyValue();
  await updateNamespace(store, `slack:T0ACME:${general}`, ({ settings }) => {
    settings.reply = "ambient";
  });
  await slackBot(slack, offeringModel(), { store, clock: impatientClock });

  const { ts } = await slack.say({ ...ben, text: "How do I undo the last commit?" });
  const offer = await slack.until((state) => state.ephemerals("U0BEN")[0], "the offer");
  expect(offer.thread_ts).toBeUndefined();
  expect(offer.text).toContain("Shall I answer this?");
  const buttons = buttonsOf(offer.blocks as Record<string, unknown>[]);
  expect(buttons.map(({ label }) => label)).toEqual(["Yes, answer it", "No", "Not for me"]);
  expect((await slack.look()).botMessages(general)).toEqual([]);

  const { action_id = "" } = buttons[0] ?? {};
  await slack.click({ ...ben, message_ts: offer.ts, action_id });
  const said = await slack.until((state) => answers(state, general, ts, 1), "the answer");
  expect(said?.join()).toContain("Done.");
  const closed = await slack.until(
    (state) => state.ephemerals("U0BEN").find(({ edits }) => edits > 0),
    "its end",
  );
  expect(closed.text).toBe("I am answering it.");
  expect(buttonsOf(closed.blocks as Record<string, unknown>[])).toEqual([]);
  expect((await slack.look()).botMessages(general).map(slackText)).toHaveLength(1);
});
