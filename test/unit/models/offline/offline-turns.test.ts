import { describe, expect, it } from "vitest";
import { startOffline } from "./ask-offline.ts";

const shipped = ["text-analyzer", "memory", "task-planning", "incident-report"];

describe("turns with the offline model", () => {
  it("an offline turn finds, activates and uses a skill, and shows what it answered", async () => {
    const { ask } = startOffline(shipped);
    const { text, calls } = await ask("What is the sentiment of: I love this, but the ending was terrible");
    expect(calls.map((call) => call.tool)).toEqual(["list_skills", "activate_skill", "text_analyze"]);
    expect(calls.at(-1)?.input).toEqual({
      text: "I love this, but the ending was terrible",
      analysis_type: "sentiment",
    });
    expect(text).toMatch(/^Mixed, leaning negative/);
  });

  it("an offline turn uses a tool of an active skill at once", async () => {
    const { ask } = startOffline(shipped);
    await ask("readability of: The cat sat on the mat.", "one");
    const { calls } = await ask("Analyse the readability of “The dog ran.”", "one");
    expect(calls).toEqual([
      { tool: "text_analyze", input: { text: "The dog ran.", analysis_type: "readability" } },
    ]);
  });

  it("an offline turn remembers, recalls for a question nothing else fits, and forgets", async () => {
    const { ask } = startOffline(shipped);
    const remembered = await ask("remember that the deploy is on Friday");
    expect(remembered.calls.at(-1)).toEqual({
      tool: "memory_remember",
      input: { text: "the deploy is on Friday", pinned: false },
    });
    const recalled = await ask("when is the deploy?");
    expect(recalled.calls.at(-1)?.tool).toBe("memory_recall");
    expect(recalled.text).toContain("the deploy is on Friday");
    expect((await ask("do you remember when the deploy is?")).calls.at(-1)?.tool).toBe("memory_recall");
    expect((await ask("forget fact 1")).text).toMatch(/^Forgotten: the deploy is on Friday/);
  });

  it("an offline turn only looks things up for a question, whatever its words", async () => {
    const { ask } = startOffline(shipped);
    await ask("remember that ops meets in this channel");
    const { calls, text } = await ask("is this channel for ops?");
    expect(calls.at(-1)?.tool).toBe("memory_recall");
    expect(text).toContain("No skill fits the question");
  });

  it("an offline turn keeps a fact whole that has a colon in it", async () => {
    const { ask } = startOffline(shipped);
    const { calls } = await ask("note that Ana said: never deploy on Monday");
    expect(calls.at(-1)?.input).toMatchObject({ text: "Ana said: never deploy on Monday" });
  });

  it("an offline turn makes a checklist by rule and says so", async () => {
    const { ask } = startOffline(shipped);
    const { text } = await ask("plan a party: book a room, invite people and order food");
    expect(text).toContain("- [ ] 1. Book a room\n- [ ] 2. Invite people\n- [ ] 3. Order food");
    expect(text).toContain("Made by rule");
  });

  it("an offline turn shows the guide of a document skill and says that a model is needed", async () => {
    const { ask } = startOffline(shipped);
    const { text } = await ask("write a postmortem for the outage");
    expect(text).toContain("**incident-report** fits");
    expect(text).toContain("> # Incident report");
    expect(text).toContain("ANTHROPIC_API_KEY");
    expect((await ask("write a postmortem")).text).toContain("> # Incident report");
  });

  it("an offline turn says what it can do and how to set a key when nothing fits", async () => {
    const { ask } = startOffline(shipped);
    const { text } = await ask("bake an omelette");
    for (const id of shipped) expect(text).toContain(`**${id}**`);
    for (const name of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "KNACK_MODEL=ollama/qwen3:8b"])
      expect(text).toContain(name);
  });

  it("an offline turn takes no skill for a statement that only mentions its words", async () => {
    const { ask } = startOffline(shipped);
    const { calls } = await ask(
      "The report about image quality in last week's weather was late and we should talk about keywords later",
    );
    expect(calls.some((call) => call.tool === "activate_skill")).toBe(false);
  });

  it("an offline turn lists the skills on help, and answers a greeting without tools", async () => {
    const { ask } = startOffline(shipped);
    expect((await ask("help")).text).toMatch(/^This is what I can do here:/);
    expect((await ask("Hello!")).calls).toEqual([]);
  });

  it("an offline turn says when there is no skill at all", async () => {
    const { ask } = startOffline([]);
    expect((await ask("what is the sentiment of: good")).text).toContain("No skill can be used");
  });

  it("an offline turn uses what the loop leaves of a message that is too long, and says so", async () => {
    const { ask } = startOffline(shipped, { limits: { message_tokens: 100, tool_output_tokens: 5_000 } });
    const { text, calls } = await ask(`sentiment of: ${"This is good. ".repeat(500)}`);
    expect(JSON.stringify(calls.at(-1)?.input)).not.toContain("[cut:");
    expect(text).toMatch(/^Positive[\s\S]*your message was too long/);
  });
});
