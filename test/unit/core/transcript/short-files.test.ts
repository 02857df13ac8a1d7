import { expect, it } from "vitest";
import { userMessage, withShortFiles } from "../../../../src/core/transcript/user-message.ts";

it("an old message keeps its text whole, and path and first lines of its files", () => {
  const file = (name: string, text: string) => ({
    name,
    path: `/workspace/input/${name}`,
    media_type: "text/plain",
    bytes: 9,
    text,
    problem: "whole",
  });
  const files = [file("log.txt", "a line of the log\n".repeat(500)), file("short.txt", "all of it")];
  const { text } = userMessage("What is wrong?", { line: "", context: { thread: [], files } });
  const kept = withShortFiles(text);
  expect(kept).toMatch(
    /path="\/workspace\/input\/log.txt" type="text\/plain">\n(?:a line of the log\n){22}\n\[cut: read_file has the rest\]\n/,
  );
  expect(kept).toContain(' note="whole">\nall of it\n</attached_file>');
  expect(kept.endsWith("What is wrong?")).toBe(true);
  expect(kept.length).toBeLessThan(800);
});
