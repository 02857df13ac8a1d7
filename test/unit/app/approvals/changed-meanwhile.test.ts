/** What changes between the moment a person is asked and the moment they decide. */
import { describe, expect, it } from "vitest";
import { approve } from "../../../support/bot/ask-app.ts";
import { ann, createWorld, general, type TestWorld } from "../../../support/fakes/chat-world.ts";
import { runThatWrites } from "../../../support/fakes/folder-code.ts";
import { follow } from "../../../support/follow.ts";

const random = "fake:team:random";

/** Ann has a file sent to #random. Before her `n`th approval, this happens. Returns what each card showed of the file, and what was sent. */
async function sending(meanwhile: (world: TestWorld, n: number) => Promise<void>) {
  const send = { call: "chat_send", with: { to: "#random", text: "The plan", files: ["output/plan.txt"] } };
  const world = createWorld([[send], "Done."]);
  await runThatWrites(world.app.folders.of({ namespace: general, thread: "t1" }), { "output/plan.txt": "0" });
  const origin = { message: "0.0", said_at: 0, files: [], in_thread: false };
  const said = { by: ann, namespace: general, thread: "t1", key: "0.0", origin };
  const turnId = await world.app.say("send the plan to #random", said);
  const cards: unknown[] = [];
  const ids: string[] = [];
  for await (const event of follow(world.app.app, turnId)) {
    if (event.type !== "approval_requested") continue;
    cards.push(event.files?.[0]?.sha256);
    ids.push(event.approval_id);
    await meanwhile(world, cards.length);
    await approve(world.app.app, event.approval_id, true, ann);
  }
  const sent = world.platform.visible().filter(({ place }) => place.namespace === random);
  return { cards, ids, sent };
}

describe("what was asked about is what happens", () => {
  it("a file that changes ten times between card and click is asked about eleven times, and sent as it was last [asks-9]", async () => {
    const { cards, ids, sent } = await sending(async ({ app }, n) => {
      const folder = app.folders.of({ namespace: general, thread: "t1" });
      if (n <= 10) await runThatWrites(folder, { "output/plan.txt": "x".repeat(n + 1) });
    });
    expect(cards).toHaveLength(11);
    expect(new Set(cards.map(String)).size).toBe(11);
    expect(new Set(ids).size).toBe(11);
    expect(sent.map(({ message }) => message.files?.[0]?.data.byteLength)).toEqual([11]);
  });

  it("an approval sends nothing to a channel that its decider has left meanwhile", async () => {
    const { sent, cards } = await sending(async ({ chat }) => {
      const room = chat.rooms.find(({ namespace }) => namespace === random);
      room?.members.splice(0);
    });
    expect(cards).toHaveLength(1);
    expect(sent).toEqual([]);
  });
});
