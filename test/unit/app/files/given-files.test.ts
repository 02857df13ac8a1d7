import { afterEach, describe, expect, it } from "vitest";
import { createMemoryFileStore } from "../../../support/fakes/memory-stores.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { ada, createTestApp, home, type TestApp } from "../../../support/test-app.ts";

const opened: TestApp[] = [];
afterEach(async () => {
  for (const app of opened.splice(0)) await app.stop(1_000);
});

function open(options: Parameters<typeof createTestApp>[1] = {}): TestApp {
  const app = createTestApp(
    scriptedModel(() => "Seen."),
    options,
  );
  opened.push(app);
  return app;
}

const text = (content: string) => new TextEncoder().encode(content);
const note = (content: string, name = "note.txt") => ({
  name,
  media_type: "text/plain",
  data: text(content),
});
const said = (more: object) => ({ ...home, text: "read this", author: ada, ...more });

describe("files that come with a message itself", () => {
  it("files sent with a message are in the thread's folder and in what the model reads", async () => {
    const app = open();
    const accepted = await app.app.submit(said({ files: [note("the door is green")] }));
    const turnId = accepted.ok ? accepted.value.turn_id : "";
    const events = await app.events(turnId);
    const told = events.find((event) => event.type === "context_read");
    expect(told).toMatchObject({ files: [{ path: "/workspace/input/note.txt", text: "the door is green" }] });
    expect((await app.folders.of(home).list()).files).toMatchObject([
      { path: "/workspace/input/note.txt", by: "Ada" },
    ]);
    // Kept once, where it can be worked with.
    expect(await app.files.get(turnId, "note.txt")).toBeUndefined();
    const attached = await app.app.attachment(turnId, 0);
    expect([attached?.name, new TextDecoder().decode(attached?.data)]).toEqual([
      "note.txt",
      "the door is green",
    ]);
  });

  it("files are taken once for a message that is sent twice", async () => {
    const app = open();
    const message = said({ key: "console:1", files: [note("one")] });
    const [first, second] = [await app.app.submit(message), await app.app.submit(message)];
    expect(second).toMatchObject({ ok: true, value: { accepted: false } });
    await app.events(first.ok ? first.value.turn_id : "");
    expect((await app.folders.of(home).list()).files.map(({ path }) => path)).toEqual([
      "/workspace/input/note.txt",
    ]);
  });

  it.each([
    ["too many", Array.from({ length: 21 }, (_, at) => note("x", `${at}.txt`)), /21 files; at most 20/],
    ["too large", [{ ...note("x"), data: new Uint8Array(50_000_001) }], /50\.0 MB/],
    [
      "too large together",
      Array.from({ length: 3 }, (_, at) => ({ ...note("x", `${at}.bin`), data: new Uint8Array(40_000_000) })),
      /120\.0 MB together/,
    ],
  ])("files are refused as a whole: %s", async (_, files, message) => {
    const app = open();
    expect(await app.app.submit(said({ files }))).toMatchObject({
      ok: false,
      status: 413,
      message: expect.stringMatching(message),
    });
    expect(await app.app.turns({ ...home })).toEqual([]);
  });

  it("files that cannot be stored leave nothing behind and are reported", async () => {
    const files = createMemoryFileStore();
    const app = open({ files: { ...files, put: () => Promise.reject(new Error("The disk is full")) } });
    expect(await app.app.submit(said({ files: [note("x")] }))).toMatchObject({
      ok: false,
      status: 503,
      message: expect.stringContaining("The disk is full"),
    });
    expect(await app.app.turns({ ...home })).toEqual([]);
  });
});
