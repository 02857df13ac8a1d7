import { describe, expect, it } from "vitest";
import {
  approvalIdOf,
  askingId,
  idInside,
  innerCallId,
  isOfCall,
  questionIdOf,
  readAskingId,
  readTextId,
  textIdOf,
  turnOfApproval,
} from "../../../../src/core/log/call-id.ts";

describe("ids of calls", () => {
  it("ids in stored events and in buttons of posted messages keep their form [log-5]", () => {
    expect(innerCallId("call_1", 2)).toBe("call_1/2");
    expect(innerCallId(undefined, "call_1")).toBe("call_1");
    expect(questionIdOf("run/1", 1)).toBe("run/1?1");
    expect(askingId("call_1", "account")).toBe("call_1/approval:account");
    expect(approvalIdOf("t:1", 3)).toBe("t:1:3");
    expect(textIdOf("answer", "t1")).toBe("answer:t1");
  });

  it("an id is read as it was formed", () => {
    expect(readAskingId(askingId("call/1", "reach:a/b"))).toEqual({ callId: "call/1", key: "reach:a/b" });
    expect(readAskingId("call/1")).toEqual({ callId: "call/1" });
    expect(idInside("direct", "direct/call/1")).toBe("call/1");
    expect(idInside("direct", "direct")).toBeUndefined();
    expect(turnOfApproval("slack:C1:17.2:4")).toBe("slack:C1:17.2");
    expect(readTextId("message:t:1")).toEqual({ kind: "message", turnId: "t:1" });
    expect(["message:", "call_1", "other:t1"].map(readTextId)).toEqual([undefined, undefined, undefined]);
  });

  it("calls, questions and approvals within a call belong to it, calls with a longer name do not", () => {
    const within = ["call", "call/1", "call/1?2", "call?1", "call/approval:1"];
    expect(within.every((id) => isOfCall(id, "call"))).toBe(true);
    expect(["call2", "call_1/1", "cal", "x/call"].some((id) => isOfCall(id, "call"))).toBe(false);
  });
});
