import { describe, expect, it } from "vitest";
import { said, untilSaid } from "../../support/surfaces/chat-surface.ts";
import { newWord, type SurfaceUnderContract, surfaceOf } from "./surface-under-contract.ts";

/** What people may rely on when they give the bot commands in a conversation. */
export function chatCommandContract(under: SurfaceUnderContract): void {
  const { fixture, can } = under;
  const surface = () => surfaceOf(under);
  const listed = can.whispers ? "private" : "answer";

  describe("commands", () => {
    it("chat commands list the skills, only for the asker where that is possible", async () => {
      const conversation = await surface().open();
      await conversation.say("/skill list");
      await untilSaid(conversation, "text-analyzer", listed);
      await fixture().finished("/skill list");
      if (!can.severalPeople) return;
      const toOthers = await conversation.shown("manager");
      expect(toOthers.filter(({ text }) => text.includes("text-analyzer"))).toEqual([]);
    });

    it("chat commands that do not exist are answered with the nearest one", async () => {
      const conversation = await surface().open();
      await conversation.say("/skill enabel text-analyzer");
      await untilSaid(conversation, "skill enable", listed);
    });

    it("chat commands enable a skill for one channel, where the model then gets its tools", async () => {
      const { model } = fixture();
      const asked = async (channel: "home" | "elsewhere") => {
        const word = newWord("tools");
        model.when(word, () => [`Reply to ${word}.`]);
        const conversation = await surface().open(channel);
        await conversation.say(word);
        await untilSaid(conversation, `Reply to ${word}.`);
        const body = model.askedOf(word)[0]?.body ?? "{}";
        // Where a conversation goes on, a tool stays in the list, and the model is told that it is gone.
        const gone = /Tools that are gone, do not call them: ([^"]*?)\./.exec(body)?.[1]?.split(", ") ?? [];
        return toolsIn(body).filter((name) => !gone.includes(name));
      };
      expect(await asked("home")).not.toContain("text_analyze");

      const commands = await surface().open();
      await commands.say("/skill enable text-analyzer", "manager");
      await untilSaid(commands, "is enabled in ", "answer", "manager");
      expect(await asked("home")).toContain("text_analyze");
      expect(await asked("elsewhere")).not.toContain("text_analyze");

      await commands.say("/skill reset text-analyzer", "manager");
      await fixture().finished("/skill reset text-analyzer");
      expect(await asked("home")).not.toContain("text_analyze");
    });

    it("chat commands set the time zone of a channel, and name the nearest one for a wrong one", async () => {
      const wrong = await surface().open();
      await wrong.say("/agent timezone Europe/Amsterdm", "manager");
      await untilSaid(wrong, /Did you mean `?Europe\/Amsterdam/, listed, "manager");
      for (const [zone, said] of [
        ["Europe/Amsterdam", "is **Europe/Amsterdam**, for people"],
        ["default", ", the server's, for people"],
      ] as const) {
        const conversation = await surface().open();
        await conversation.say(`/agent timezone ${zone}`, "manager");
        await untilSaid(conversation, said, "answer", "manager");
      }
    });

    it.skipIf(!can.severalPeople)(
      "chat commands change nothing for people who do not manage the channel",
      async () => {
        const conversation = await surface().open();
        await conversation.say("/skill disable memory");
        await untilSaid(conversation, /manage/, "private");
        expect(said(await conversation.shown("manager"), "answer")).toBe("");
      },
    );
  });
}

function toolsIn(body: string): string[] {
  const { tools = [] } = JSON.parse(body) as { tools?: { function: { name: string } }[] };
  return tools.map((tool) => tool.function.name);
}
