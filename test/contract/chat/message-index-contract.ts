import { describe, expect, it, onTestFinished, type TestOptions } from "vitest";
import type { IndexedMessage, MessageIndex } from "../../../src/core/ports/chat-actions.ts";
import { isWithin } from "../../../src/core/values/place.ts";

export const general = "slack:T1:C1";

export function message(reference: string, text: string, more: Partial<IndexedMessage> = {}): IndexedMessage {
  return {
    namespace: general,
    reference,
    author: { id: "U1", name: "Ann" },
    text,
    at: Number(reference),
    ...more,
  };
}

/** What every index of messages does. */
export function messageIndexContract(
  name: string,
  openEmpty: () => Promise<MessageIndex & { close?(): Promise<void> }>,
  options: TestOptions = {},
): void {
  describe(`an index of messages in ${name}`, options, () => {
    const open = async (...messages: IndexedMessage[]): Promise<MessageIndex> => {
      const index = await openEmpty();
      onTestFinished(() => index.close?.());
      await index.put(messages);
      return index;
    };
    const find = async (index: MessageIndex, words: string, more: object = {}) =>
      (await index.search(general, { words: words.split(" "), most: 10, ...more })).map(
        ({ reference }) => reference,
      );

    it("a message index finds the beginnings of words in any order, case and accents, latest first", async () => {
      const index = await open(
        message("1", "The Café invoices are late"),
        message("2", "An invoice of the cafe"),
      );
      expect(await find(index, "cafe INVOI")).toEqual(["2", "1"]);
      expect(await find(index, "café late")).toEqual(["1"]);
      expect(await find(index, "nvoice")).toEqual([]);
    });

    it("a message index finds the parts of names, decomposed accents, and other scripts", async () => {
      const index = await open(
        message("1", "see plan-2.pdf on www.example.com/rates or write to ann@example.org"),
        message("2", "re\u0301sume\u0301 und Straße"),
        message("3", "Мой файл"),
        message("4", `${"x".repeat(3_000)} 会議`),
      );
      for (const words of ["pdf", "2", "plan", "rates", "example org", "com"])
        expect(await find(index, words)).toEqual(["1"]);
      for (const words of ["resume", "résumé", "straß"]) expect(await find(index, words)).toEqual(["2"]);
      expect(await find(index, "мой")).toEqual(["3"]);
      expect(await find(index, "мои")).toEqual([]);
      expect(await find(index, "xxx 会")).toEqual(["4"]);
    });

    it("a message index takes a text with U+0000", async () => {
      const index = await open(message("1", "invoice\u0000 late"), message("2", "invoice"));
      expect(await find(index, "invoice")).toEqual(["2", "1"]);
    });

    it.each(['"', "*", "invoice OR", "NEAR(", "text:invoice", "a\u0000b", "-", "'; DROP TABLE messages; --"])(
      "a message index takes %j for words and never for its own syntax",
      async (words) => {
        const index = await open(message("1", "invoice"));
        await expect(find(index, words)).resolves.toBeDefined();
        expect(await find(index, "invoice")).toEqual(["1"]);
      },
    );

    it("a message index keeps channels apart, and filters by authors and times", async () => {
      const index = await open(
        message("1", "invoice"),
        message("2", "invoice", { namespace: "slack:T1:C2" }),
        message("3", "invoice", { author: { id: "U2", name: "Ben" } }),
      );
      expect(await find(index, "invoice")).toEqual(["3", "1"]);
      expect(await find(index, "invoice", { author: "U2" })).toEqual(["3"]);
      expect(await find(index, "invoice", { since: 2 })).toEqual(["3"]);
      expect(await find(index, "invoice", { until: 2 })).toEqual(["1"]);
    });

    it("a message index follows edits and deletions", async () => {
      const index = await open(message("1", "invoice"), message("2", "invoice"));
      await index.put([message("1", "receipt")]);
      expect(await find(index, "invoice")).toEqual(["2"]);
      expect(await find(index, "receipt")).toEqual(["1"]);
      await index.remove(general, "1");
      expect(await find(index, "receipt")).toEqual([]);
    });

    it("a message index forgets a channel, a time and a person", async () => {
      const messages = ["1", "2", "3"].map((at) => message(at, "invoice"));
      const other = message("4", "invoice", { namespace: "slack:T2:C1" });
      expect(await (await open(...messages, other)).clear(general)).toBe(3);
      const old = await open(...messages, other);
      expect(await old.clearBefore(3, general)).toBe(2);
      expect(await find(old, "invoice")).toEqual(["3"]);
      expect(await (await open(...messages, other)).clearBefore(5)).toBe(4);
      const index = await open(...messages, other);
      const isInT1 = (namespace: string) => isWithin(namespace, "slack", "T1");
      expect(await index.clearAuthor("U1", isInT1, { dryRun: true })).toBe(3);
      expect(await index.clearAuthor("U1", isInT1)).toBe(3);
      expect(await find(index, "invoice")).toEqual([]);
      expect(await index.clearAuthor("U1", () => true)).toBe(1);
    });

    it("a message index says how much it has", async () => {
      const index = await open();
      expect(await index.extent(general)).toEqual({ messages: 0 });
      await index.put([message("5", "a"), message("7", "b")]);
      expect(await index.extent(general)).toEqual({ messages: 2, since: 5, newest: 7 });
    });
  });
}
