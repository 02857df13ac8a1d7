import { expect, it } from "vitest";
import { makeFiles } from "../../../skills/simple-writing/make-files.ts";

it("a text that takes too long in one format is made in the others", async () => {
  const markdown = Array.from({ length: 290 }, (_, at) => `## Part ${at}\n\n${"Words. ".repeat(400)}`).join(
    "\n\n",
  );
  const made = await makeFiles(
    { title: "T", markdown, formats: ["docx", "md"], author: "Ada", language: undefined, to: [], now: 0 },
    {
      signal: new AbortController().signal,
      timeoutMs: 2_500,
      pictures: async () => new Map(),
      making: () => undefined,
    },
  );
  expect(made?.files.map(({ format }) => format)).toEqual(["md"]);
  expect(made?.notes.join()).toMatch(/too long or too deeply nested for docx, which was not made/);
});
