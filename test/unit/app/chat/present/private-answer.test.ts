import { describe, expect, it } from "vitest";
import { type ChatPlatform, PlatformError } from "../../../../../src/core/ports/chat-platform.ts";
import type { ModelRequest } from "../../../../../src/core/ports/model.ts";
import { answerTurn, forgetTurn } from "../../../../support/bot/ask-app.ts";
import { ann, ask, createWorld, dora, general } from "../../../../support/fakes/chat-world.ts";
import type { Line } from "../../../../support/models/scripted-model.ts";

const direct = "fake:team:dm-U1ANN";
const read: Line = [{ call: "chat_read", with: { channel: "#random" } }];
const lines: Line[] = [read, "In #random: Pizza on Friday?"];

/** A world whose platform whispers as Slack does: in the place itself. */
function world(
  script: Parameters<typeof createWorld>[0] = lines,
  more: Parameters<typeof createWorld>[2] = {},
) {
  const made = createWorld(script, {}, more);
  Object.assign(made.platform satisfies ChatPlatform, { whispers_here: true });
  const inPlace = (namespace: string) =>
    made.platform.visible().filter(({ place }) => place.namespace === namespace);
  return { ...made, inPlace };
}

describe("a private answer", () => {
  it("a private answer is posted to the asker's direct messages, and a whisper in the thread points there [private-7]", async () => {
    const at = world();
    const { events } = await ask(at, "what is new in #random?");
    const [answer, ...others] = at.inPlace(direct);
    expect(others).toEqual([]);
    expect(answer?.only_for).toBeUndefined();
    expect(answer?.message.markdown).toBe(
      "*About [your message in #general](https://chat.example/0.0). Only you see this answer, because it tells what is said in #random.*\n\nIn #random: Pizza on Friday?",
    );
    const [pointer, ...more] = at.inPlace(general);
    expect(more).toEqual([]);
    expect(pointer?.only_for).toBe(ann.id);
    expect(pointer?.message.markdown).toContain(`https://chat.example/${answer?.reference}`);
    const posted = events.filter((event) => event.type === "message_posted" && event.purpose !== "answer");
    expect(posted).toMatchObject([
      { purpose: "private", reference: answer?.reference, place: { namespace: direct } },
      { purpose: "pointer" },
    ]);
  });

  it("a private answer is shown to nobody where the asker takes no direct messages, and the asker is told [private-7]", async () => {
    const at = world();
    at.chat.direct = () => Promise.reject(new PlatformError("forbidden", "Ann takes no direct messages."));
    await ask(at, "what is new in #random?");
    expect(at.inPlace(direct)).toEqual([]);
    const [told, ...others] = at.inPlace(general);
    expect(others).toEqual([]);
    expect(told?.only_for).toBe(ann.id);
    expect(told?.message.markdown).toContain("Ann takes no direct messages.");
    expect(told?.message.markdown).not.toContain("Pizza");
  });

  it("a private answer is deleted together with its question", async () => {
    const at = world();
    const { events } = await ask(at, "what is new in #random?");
    await forgetTurn(at.app.app, events[0]?.turn_id ?? "", ann);
    expect(at.inPlace(direct)).toEqual([]);
  });

  it.each<[string, Line]>([
    ["a question", [{ call: "ask_user", with: { question: "Is Pizza right?", choices: ["yes", "no"] } }]],
    ["an approval", [{ call: "chat_send", with: { to: "here", text: "Pizza on Friday" } }]],
  ])("a private answer is not given away by %s of its turn", async (_name, line) => {
    const at = world([read, line, "Done."]);
    const asking = ask(at, "what is new in #random?", { verdict: false });
    const card = await at.platform.until(() =>
      at.inPlace(direct).find(({ message }) => (message.buttons ?? []).length > 1),
    );
    expect(card.message.markdown).toContain("Pizza");
    expect(JSON.stringify(at.inPlace(general))).not.toContain("Pizza");
    const turnId = card.message.tag?.turn_id ?? "";
    if (card.message.tag?.purpose === "question")
      await answerTurn(at.app.app, turnId, "call_2_0?1", "yes", ann);
    await asking;
    expect(JSON.stringify(at.inPlace(general))).not.toContain("Pizza");
  });

  it("a private answer of an agent in the background stays its asker's, in later turns of the thread too [private-2]", async () => {
    const profiles = [
      { id: "chat", description: "", prompt: "You chat." },
      { id: "maker", description: "Makes.", prompt: "You make." },
    ] as const;
    const given = { to: "maker", reason: "Ask about Pizza.", background: true };
    const script = ({ system, messages }: ModelRequest): Line => {
      if (system.includes("You make.")) return "Pizza it is.";
      const last = messages.at(-1);
      if (last?.role === "tool")
        return last.tool === "chat_read" ? [{ call: "handoff", with: given }] : "Begun.";
      return last?.text.includes("#random") ? read : messages.map(({ text }) => text).join();
    };
    const at = world(script, { profiles });
    const { events } = await ask(at, "what is new in #random?");
    const begun = events.find((event) => event.type === "handoff")?.background ?? "";
    expect((await at.app.events(begun)).at(-1)).toMatchObject({ private: true, text: "Pizza it is." });
    expect(JSON.stringify(at.inPlace(general))).not.toContain("Pizza");
    expect(JSON.stringify(at.inPlace(direct))).toContain("Pizza it is.");
    const others = await ask(at, "and now?", { by: dora });
    expect(JSON.stringify(others.events.at(-1))).not.toContain("Pizza");
    const own = await ask(at, "and now?");
    expect(own.events.at(-1)).toMatchObject({ private: true, text: expect.stringContaining("Pizza it is.") });
  });
});
