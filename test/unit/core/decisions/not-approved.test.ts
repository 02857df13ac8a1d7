import { expect, it } from "vitest";
import { notApproved } from "../../../../src/core/decisions/not-approved.ts";
import { ChatDesk } from "../../../../src/core/effects/chat-desk.ts";
import { WaitingForPerson } from "../../../../src/core/values/failure.ts";
import { callScope } from "../../../support/fakes/call-scope.ts";

const settled = expect.stringContaining("Do not try it again");
const open = expect.stringContaining("they can ask for it again");

it.each([
  [{ by: "U1", name: "Ada" }, {}, "refused", '"Ada" (U1) refused it, so nothing was done.', settled],
  [{ by: "U1" }, { what: "send" }, "refused", '"U1" refused send, so nothing was done.', settled],
  [
    { by: "U1", name: "Ada" },
    { only: "Ada" },
    "refused",
    '"Ada" (U1) refused it, so nothing was done.',
    settled,
  ],
  [{ by: "" }, {}, "approval_expired", "Nobody approved it in time, so nothing was done.", open],
  [
    { by: "" },
    { only: "Ada" },
    "approval_expired",
    "Ada has not agreed to it in time, so nothing was done.",
    open,
  ],
])("a decision %j about %j that is no yes is told as %s", (decided, about, code, message, hint) => {
  expect(notApproved(decided, { so: "nothing was done", ...about })).toMatchObject({ code, message, hint });
});

it.each([
  ["refused", [{ type: "approval", approval_id: "t1:1", approved: false, by: "ben", name: "Ben" }], 1_000],
  ["approval_expired", [], 100_000],
] as const)("an action in the chat without a yes ends as %s", async (code, signals, now) => {
  const { scope } = callScope();
  const desk = new ChatDesk(scope, "c1", "chat");
  const send = () => desk.ask({ action: "send", says: { deed: "send this" }, input: {}, reason: "" });
  await expect(send()).rejects.toThrow(WaitingForPerson);
  scope.turn.link.signals = async () => [...signals];
  scope.ports.clock.now = () => now;
  await expect(send()).rejects.toMatchObject({ code });
});
