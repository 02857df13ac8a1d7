import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../../src/core/ports/model.ts";
import { foldedRequest, toolsNow } from "../../../../src/core/transcript/keep-transcript.ts";
import type { Message, SystemMessage, ToolDefinition } from "../../../../src/core/values/message.ts";

const tool = (name: string, description = ""): ToolDefinition => ({ name, description, parameters: {} });
const says = (text: string, more: Partial<SystemMessage> = {}): Message => ({
  role: "system",
  text,
  ...more,
});
const hi: Message = { role: "user", text: "hi" };
const request = (messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: "You are Knack.",
  tools: [tool("a"), tool("b")],
  messages,
  signal: new AbortController().signal,
  ...more,
});

describe("the tools of a request as they are now", () => {
  it.each<[string, Message[], string[], string[]]>([
    ["those of the opening", [hi], ["a", "b"], ["a", "b"]],
    [
      "added ones behind them",
      [says("", { add: [tool("d"), tool("c")] })],
      ["a", "b", "d", "c"],
      ["a", "b", "d", "c"],
    ],
    ["removed ones only where they are kept", [says("", { remove: ["a"] })], ["b"], ["a", "b"]],
    [
      "changed ones in their place",
      [says("", { remove: ["a"], add: [tool("a", "new")] })],
      ["a: new", "b"],
      ["a: new", "b"],
    ],
    [
      "those that came back, at the end",
      [says("", { remove: ["a"] }), says("", { add: [tool("a")] })],
      ["b", "a"],
      ["a", "b"],
    ],
    ["no unknown one that is removed", [says("", { remove: ["z"] })], ["a", "b"], ["a", "b"]],
  ])("the current tools of a request are %s", (_what, messages, dropped, kept) => {
    const shown = (removed: "keep" | "drop") =>
      toolsNow(request(messages), removed).map(({ name, description }) =>
        description === "" ? name : `${name}: ${description}`,
      );
    expect([shown("drop"), shown("keep")]).toEqual([dropped, kept]);
  });
});

describe("a request folded", () => {
  it("a folded request is the same where nothing changed", () => {
    const plain = request([hi]);
    expect(foldedRequest(plain)).toBe(plain);
  });

  it("a folded request states changes in its instructions, in order, and has the latest effort", () => {
    const first = says("One.", { effort: "low" });
    const folded = foldedRequest(
      request([hi, first, hi, says(""), says("Two.", { effort: "high" })], { effort: "max" }),
    );
    expect(folded).toMatchObject({
      system: "You are Knack.\n\nOne.\n\nTwo.",
      messages: [hi, hi],
      effort: "high",
    });
  });

  it("a folded request keeps the effort it opened with when no message tells another", () => {
    expect(foldedRequest(request([says("One.")], { effort: "max" })).effort).toBe("max");
  });

  it("a folded request has no tools where none may be called", () => {
    expect(foldedRequest(request([hi], { no_calls: true })).tools).toEqual([]);
  });
});
