import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import type { Message, MessageImage } from "../../../src/core/values/message.ts";
import { withImageFallback } from "../../../src/models/around/image-fallback.ts";
import { askedModel } from "./asked-model.ts";
import { collect, finish, requestOf } from "./collect.ts";
import { result } from "./prefixes.ts";

const picture = (base64: string): MessageImage => ({ media_type: "image/png", base64 });
const shows = (base64: string): Message => ({ role: "user", text: "Look.", images: [picture(base64)] });
const request = (...messages: Message[]) => requestOf("", { messages });

/** The pictures a model was shown, request by request. */
function shownTo({ asked }: { asked: readonly ModelRequest[] }): string[][] {
  return asked.map(({ messages }) =>
    messages.flatMap((message) =>
      message.role === "user" || message.role === "tool"
        ? (message.images ?? []).map(({ base64 }) => base64)
        : [],
    ),
  );
}

const refusing = (...pictures: string[]) =>
  askedModel(({ messages }) =>
    pictures.some((base64) => JSON.stringify(messages).includes(`"${base64}"`))
      ? "invalid_request"
      : undefined,
  );

describe("pictures a model refuses", () => {
  it.each([shows("a"), { ...result("one", "camera"), images: [picture("a")] } as Message])(
    "refused pictures are left out and mentioned, those of people and of tools: %o",
    async (message) => {
      const model = refusing("a");
      await finish(withImageFallback(model), request(message));
      expect(shownTo(model)).toEqual([["a"], []]);
      expect(model.asked[1]?.messages[0]?.text).toMatch(/A picture came with this message/);
    },
  );

  it("pictures of more than 8,000 pixels on a side are not sent, and the others are", async () => {
    const png = (width: number) => {
      const header = Buffer.alloc(33);
      Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").copy(header);
      header.writeUInt32BE(width, 16);
      header.writeUInt32BE(10, 20);
      return header.toString("base64");
    };
    const model = askedModel(() => undefined);
    await finish(withImageFallback(model), request(shows(png(8_001)), shows(png(8_000)), shows("a")));
    expect(shownTo(model)).toEqual([[png(8_000), "a"]]);
    expect(model.asked[0]?.messages[0]?.text).toContain("(more than 8000 pixels wide or high)");
  });

  it("pictures are not sent to a model that is known to take none", async () => {
    const model = refusing("a");
    await finish(withImageFallback(model, false), request(shows("a")));
    expect(shownTo(model)).toEqual([[]]);
    expect(model.asked[0]?.messages[0]?.text).toMatch(/A picture came with this message/);
  });

  it("refused pictures stay out of all later requests, even in new copies of the messages", async () => {
    const model = refusing("a");
    const fallback = withImageFallback(model);
    await finish(fallback, request(shows("a")));
    await finish(fallback, request(shows("a"), { role: "user", text: "And?" }));
    expect(shownTo(model)).toEqual([["a"], [], []]);
    expect(model.asked[2]?.messages[0]).toEqual(model.asked[1]?.messages[0]);
  });

  it("refused pictures do not take along those the model has taken before", async () => {
    const model = refusing("b");
    const fallback = withImageFallback(model);
    await finish(fallback, request(shows("a")));
    await finish(fallback, request(shows("a"), shows("b")));
    expect(shownTo(model)).toEqual([["a"], ["a", "b"], ["a"]]);
  });

  it("pictures are still shown when they were not the reason for a refusal", async () => {
    let isBroken = true;
    const model = askedModel(() => (isBroken ? "invalid_request" : undefined));
    const fallback = withImageFallback(model);
    expect((await collect(fallback, request(shows("a")))).error).toMatchObject({ code: "invalid_request" });
    isBroken = false;
    await finish(fallback, request(shows("a")));
    expect(shownTo(model)).toEqual([["a"], [], ["a"]]);
  });
});
