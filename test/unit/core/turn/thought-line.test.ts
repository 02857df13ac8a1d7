import { describe, expect, it } from "vitest";
import { latestLine, ThoughtLine } from "../../../../src/core/turn/thought-line.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";

describe("the line of a thought", () => {
  it.each([
    ["", ""],
    ["I should look at the", ""],
    ["I should look at the invoices. Then I", "I should look at the invoices."],
    ["One. Two! Three? And", "Three?"],
    ["First line\nsecond line is not", "First line"],
    ["**Checking the invoices**\n\nThe person wants all of March. I begin", "Checking the invoices"],
    ["**One**\n\nText.\n\n**Comparing both lists**\n", "Comparing both lists"],
    ["## Reading the page\nIt is long. ", "Reading the page"],
    ["It costs 3.50 euros. So", "It costs 3.50 euros."],
    ["请看发票。然后", "请看发票。"],
    ["Let me call `search` and *wait*. Now", "Let me call search and wait."],
    ["... --- ...\n", ""],
    ["- call read_file again. x", "call read_file again."],
  ])("the line of the thought %j is %j", (thought, line) => {
    expect(latestLine(thought)).toBe(line);
  });

  it("the line of a thought is short, however long the sentence is", () => {
    const line = latestLine(`${"many words ".repeat(200)}. `);
    expect(line.length).toBeLessThanOrEqual(160);
    expect(line.endsWith("…")).toBe(true);
  });

  it("the line of a thought changes as fast as people read, and ends with the latest", async () => {
    const clock = createFakeClock();
    const shown: string[] = [];
    const line = new ThoughtLine(clock, (text) => shown.push(text));
    for (let step = 1; step <= 100; step += 1) line.add(`Step ${step}. `);
    expect(shown).toEqual(["Step 1."]);
    await clock.advance(700);
    expect(shown).toEqual(["Step 1.", "Step 100."]);
    line.add("Half a sen");
    await clock.advance(5_000);
    expect(shown).toEqual(["Step 1.", "Step 100."]);
  });

  it("the line of a thought shows nothing more when the model has begun to say something", async () => {
    const clock = createFakeClock();
    const shown: string[] = [];
    const line = new ThoughtLine(clock, (text) => shown.push(text));
    line.add("One. ");
    line.add("Two. ");
    line.end();
    await clock.advance(5_000);
    expect(shown).toEqual(["One."]);
    line.add("Three. ");
    expect(shown).toEqual(["One.", "Three."]);
  });

  it("the line of a thought keeps up with ten minutes of reasoning without a sentence end", () => {
    const clock = createFakeClock();
    const shown: string[] = [];
    const line = new ThoughtLine(clock, (text) => shown.push(text));
    for (let piece = 0; piece < 100_000; piece += 1) line.add("and on it goes ");
    expect(shown).toEqual([]);
  });
});
