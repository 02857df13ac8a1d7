import { describe, expect, it } from "vitest";
import { createTurnPresenter } from "../../../../../src/app/chat/create-turn-presenter.ts";
import type { Emit, TurnEventBody } from "../../../../../src/core/log/turn-event.ts";
import { type ClaimedTurn, LeaseLostError } from "../../../../../src/core/log/turn-log.ts";
import { createChatPlatforms, PlatformError } from "../../../../../src/core/ports/chat-platform.ts";
import type { FileStore } from "../../../../../src/core/ports/storage.ts";
import { createRedactor } from "../../../../../src/core/values/redact.ts";
import { createMemoryKeyValue } from "../../../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../../../src/storage/memory-turn-log.ts";
import type { FakeClock } from "../../../../support/fakes/fake-clock.ts";
import { createFakePlatform, type FakePlatform } from "../../../../support/fakes/fake-platform.ts";
import { ada } from "../../../../support/test-app.ts";
import { elapse, manualClock, pass, place, seen } from "./presented-app.ts";

/** What a whispered answer begins with. */
const above = "*About your message in #general. Only you see this answer";
const quiet = () => {};
const silent = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const policy = {
  access: {
    workspaces: ["*"],
    channels: ["*"],
    users: ["*"],
    roles: [],
    guests: false,
    outsiders: false,
    direct_messages: "members" as const,
    bots: [],
    cooldown_ms: 0,
  },
  reply: "thread" as const,
  offers: { per_day: 0, judged_per_day: 0 },
  stale_ms: 1,
  catch_up_ms: 1,
  progress_delay_ms: 3_000,
  notify_after_ms: 30_000,
};

function storeOf(contents: Record<string, string>): FileStore {
  return {
    put: () => Promise.reject(new Error("not in this test")),
    remove: async () => {},
    forget: async () => {},
    turns: async function* () {},
    scrub: async () => {},
    get: async (_turn, name) => {
      const data = new TextEncoder().encode(contents[name] ?? "");
      return { file: { name, media_type: "text/plain", bytes: data.length }, data };
    },
  };
}

/** Presents events that nothing else in the app makes yet, and answers with what came out. */
async function present(
  events: readonly (TurnEventBody | ((clock: FakeClock) => Promise<unknown>))[],
  platform: FakePlatform,
  {
    kind = "message" as "message" | "command",
    files = undefined as FileStore | undefined,
    secrets = [] as string[],
    stored = [] as TurnEventBody[],
    isHeld = (): boolean => true,
    /** Why no event is taken. */
    refused = undefined as Error | undefined,
    isFromPlatform = true,
  } = {},
) {
  const clock = manualClock();
  const platforms = createChatPlatforms();
  platforms.add(platform);
  const presenter = createTurnPresenter({
    platforms,
    log: createMemoryTurnLog(clock),
    store: createMemoryKeyValue(),
    clock,
    redact: createRedactor(secrets),
    logger: silent,
    chat: policy,
    name: "Knack",
    files,
    question_ms: 60_000,
  });
  const origin = { message: "m0", said_at: clock.now(), files: [], in_thread: false };
  const claimed: ClaimedTurn = {
    turn_id: "turn",
    inbound: {
      key: "k",
      ...place,
      author: ada,
      kind,
      text: "go",
      origin: isFromPlatform ? origin : undefined,
    },
    events: stored.map((event, seq) => ({ ...event, turn_id: "turn", seq, at: clock.now() })),
    ordinal: 1,
    lease: "w1",
    last_seq: 0,
    crashes: 0,
  };
  const out: TurnEventBody[] = [];
  let done = false;
  const run = async (emit: Emit) => {
    for (const event of events) {
      if (typeof event === "function") await event(clock);
      else await emit(event);
    }
  };
  const read = async () => {
    const { signal } = new AbortController();
    const emit: Emit = async (event) => {
      if (refused !== undefined) throw refused;
      out.push(event);
    };
    await presenter.around(claimed, run, emit, { signal, isHeld }).finally(() => {
      done = true;
    });
  };
  await Promise.all([read(), elapse(clock, () => done)]);
  return { out, clock };
}

/** Waits until something stands in the channel. */
const isThere = (platform: FakePlatform) => () => platform.until(() => platform.shown[0]);

const finished: TurnEventBody = { type: "turn_finished", outcome: "completed", text: "Done." };
const file = (name: string, bytes: number): TurnEventBody => ({
  type: "file",
  name,
  media_type: "text/plain",
  bytes,
  url: `https://knack.example/files/${name}`,
});

it.each([
  ["a platform", true],
  ["the console", false],
])("a turn of %s stays where it is when its event is not taken", async (_from, isFromPlatform) => {
  const refused = new LeaseLostError("turn");
  let went = false;
  const next = async () => {
    went = true;
  };
  const turn = present([{ type: "turn_resumed" }, next, finished], createFakePlatform(), {
    refused,
    isFromPlatform,
  });
  await expect(turn).rejects.toBe(refused);
  expect(went).toBe(false);
});

describe("an answer", () => {
  it("a private answer is whispered, without buttons", async () => {
    const platform = createFakePlatform();
    const { out } = await present([{ ...finished, private: true }], platform, { kind: "command" });
    expect(seen(platform)).toEqual(["notice for ada: Done."]);
    expect(platform.shown[0]?.message.buttons).toBeUndefined();
    expect(out).toEqual([
      { type: "answer_ready", outcome: "completed", text: "Done.", private: true },
      { type: "message_posted", purpose: "answer", part: 0, reference: "whisper" },
      { ...finished, private: true },
    ]);
  });

  it.each([true, false])(
    "what another worker may show by now is not changed (native: %s)",
    async (streams) => {
      const platform = createFakePlatform({ streams });
      const written: TurnEventBody = { type: "text_delta", text: "A long answer begins here. ".repeat(10) };
      const before: string[] = [];
      let isHeld = true;
      const lose = async () => {
        before.push(...seen(platform));
        isHeld = false;
      };
      const { out } = await present(
        [written, isThere(platform), lose, written, (clock) => pass(clock, 20_000), finished],
        platform,
        { isHeld: () => isHeld },
      );
      expect(before).toHaveLength(1);
      expect(seen(platform)).toEqual(before);
      expect(out.at(-1)).toMatchObject({ type: "turn_waiting" });
    },
  );

  describe("that becomes private while it is written", () => {
    const long = "All that was said in the other channel. ".repeat(6);
    const written: TurnEventBody = { type: "text_delta", text: long };
    const secret: TurnEventBody = {
      type: "answer_private",
      call_id: "c",
      because: "it is a summary for you",
    };
    const step: TurnEventBody = {
      ...{ type: "tool_started", call_id: "c", tool: "read", title: "Reading", skill_id: "chat" },
      input: {},
    };
    const end: TurnEventBody = { ...finished, private: true };

    it.each([true, false])(
      "an answer that becomes private while it is written is taken away and whispered (native: %s) [private-7, post-4]",
      async (streams) => {
        const platform = createFakePlatform({ streams });
        const clockWaits = () => platform.until(() => platform.working.at(-1));
        const { out } = await present(
          [written, isThere(platform), secret, clockWaits, written, end],
          platform,
        );
        expect(seen(platform)).toEqual([
          `notice for ada: ${above}, because it is a summary for you.*\n\nDone.`,
        ]);
        expect(platform.shown).toHaveLength(2);
        expect(out).toContainEqual({
          type: "answer_ready",
          outcome: "completed",
          text: "Done.",
          private: true,
        });
        expect(out.at(-1)).toEqual(end);
      },
    );

    it("an answer that becomes private shows neither progress nor steps", async () => {
      const platform = createFakePlatform();
      await present([secret, step, (clock) => pass(clock, 20_000), end], platform);
      expect(seen(platform)).toEqual([
        `notice for ada: ${above}, because it is a summary for you.*\n\nDone.`,
      ]);
      expect(platform.working).not.toContain("Reading");
    });

    it("a private answer is posted to the direct messages once, even if the bot died before recording that", async () => {
      const platform = createFakePlatform({ directs: true });
      const started: TurnEventBody = { type: "turn_started", profile: "default", model: "m" };
      const ready: TurnEventBody = {
        type: "answer_ready",
        outcome: "completed",
        text: "Done.",
        private: true,
      };
      const direct = { namespace: "fake:team:dm-ada", thread: "dm" };
      const tag = { turn_id: "turn", purpose: "private", part: 0 } as const;
      const reference = await platform.post(direct, { markdown: "Done.", tag });
      const { out } = await present([], platform, { stored: [started, secret, ready] });
      expect(platform.visible().map(({ place: { namespace } }) => namespace)).toEqual([direct.namespace]);
      expect(out).toContainEqual({
        ...{ type: "message_posted", purpose: "private", part: 0, reference },
        place: direct,
      });
    });

    it("an answer that became private is taken away by the next process, and again where the platform kept it", async () => {
      const platform = createFakePlatform();
      const reference = await platform.post(place, { markdown: long });
      platform.fail("remove", new PlatformError("rate_limited", "Slow down."));
      const posted: TurnEventBody = { type: "message_posted", purpose: "answer", part: 0, reference };
      await present([end], platform, { stored: [posted, secret] });
      expect(seen(platform)).toEqual([
        `notice for ada: ${above}, because it is a summary for you.*\n\nDone.`,
      ]);
    });
  });

  it.each([true, false])(
    "an answer shows no half of a secret while it is written (native: %s) [post-5]",
    async (streams) => {
      const platform = createFakePlatform({ streams });
      const text = `${"secret-123456".repeat(300)} and on`;
      const written = (text.match(/.{1,7}/g) ?? []).map(
        (piece): TurnEventBody => ({ type: "text_delta", text: piece }),
      );
      const seenSoFar = () => platform.shown.map(({ message }) => message.markdown).join("\n");
      const isWritten = () => platform.until(() => (seenSoFar().endsWith("and on") ? true : undefined));
      let shown = "";
      const look = async () => {
        shown = seenSoFar();
      };
      await present([...written, isWritten, look, finished], platform, { secrets: ["secret-123456"] });
      expect(shown).toContain("[secret][secret]");
      expect(shown).not.toMatch(/secret-|123456/);
    },
  );

  it("a command's answer is posted without buttons, progress or working indicator", async () => {
    const platform = createFakePlatform();
    await present([finished], platform, { kind: "command" });
    expect(seen(platform)).toEqual(["answer: Done."]);
    expect(platform.shown[0]?.message.buttons).toBeUndefined();
    expect(platform.working).toEqual([]);
  });

  it("the answer of a message merged into another turn is not posted", async () => {
    const platform = createFakePlatform();
    const merged: TurnEventBody = { ...finished, text: "", merged_into: "other" };
    const { out } = await present([merged], platform);
    expect(platform.calls).toEqual([]);
    expect(out).toEqual([merged]);
  });

  it("an answer brings the files that tools made; larger ones are named with size and address", async () => {
    const platform = createFakePlatform();
    const files = storeOf({ "a.txt": "hello" });
    await present([file("a.txt", 5), file("big.bin", 3_400_000), finished], platform, { files });
    const { message } = platform.shown[0] ?? {};
    expect(message?.files).toEqual([
      { name: "a.txt", media_type: "text/plain", data: new TextEncoder().encode("hello") },
    ]);
    expect(message?.markdown).toBe(
      "Done.\n\nFiles that are not attached here:\n- big.bin (3.4 MB): https://knack.example/files/big.bin",
    );
  });

  it("an answer is posted without its files when the platform refuses them", async () => {
    const platform = createFakePlatform();
    platform.fail("post", new PlatformError("forbidden", "The scope files:write is missing."));
    await present([file("a.txt", 5), finished], platform, { files: storeOf({ "a.txt": "hello" }) });
    expect(seen(platform)).toEqual([expect.stringMatching(/^answer: Done\.\n\n\*Not attached: a\.txt\./)]);
    expect(platform.shown[0]?.message.files).toBeUndefined();
  });
});

describe("an approval", () => {
  const approval = (input: Record<string, string>): TurnEventBody => ({
    type: "approval_requested",
    approval_id: "turn:0",
    call_id: "c",
    tool: "send_mail",
    skill_id: "mail",
    input,
    approver: "manager",
    expires_at: manualClock().now() + 15 * 60_000,
  });
  const waiting: TurnEventBody = { type: "turn_waiting", until: 1 };

  it("an approval shows the tool, its exact arguments, who may decide and until when", async () => {
    const platform = createFakePlatform();
    const { out } = await present(
      [approval({ to: "ada@example.com", key: "secret-123" }), waiting],
      platform,
      {
        secrets: ["secret-123"],
      },
    );
    const { message } = platform.shown[0] ?? {};
    expect(message?.markdown).toContain(
      String.raw`**May I run “send mail” of the skill “mail” with to "ada@example.com", key "\[secret\]"?**`,
    );
    expect(message?.markdown).toMatch(/"Ada" <@ada> may decide, or another manager of this channel\.$/);
    expect(message?.mention).toBe("ada");
    expect(message?.timed).toEqual({ text: "Open until {time}.", at: expect.any(Number) });
    expect(message?.buttons).toEqual([
      { id: "approve:turn:0", label: "Approve", style: "primary" },
      { id: "refuse:turn:0", label: "Refuse", style: "danger" },
      { id: "arguments:turn:0", label: "Details" },
    ]);
    expect(out.slice(-2)).toMatchObject([{ type: "message_posted", purpose: "approval", part: 0 }, waiting]);
  });

  it("an approval's arguments can neither break out of their quote nor hide [asks-8]", async () => {
    const platform = createFakePlatform();
    await present([approval({ text: "```\n@everyone \u202etxt.exe" }), waiting], platform);
    const markdown = platform.shown[0]?.message.markdown ?? "";
    expect(markdown).toContain("> \\`\\`\\`\n> @everyone ");
    expect(markdown).toContain("\\u202e");
    expect(markdown).not.toContain("\u202e");
  });

  it("an approval attaches arguments that do not fit, in full [asks-8]", async () => {
    const platform = createFakePlatform();
    await present([approval({ text: "x".repeat(5_000) }), waiting], platform);
    const { message } = platform.shown[0] ?? {};
    expect(message?.markdown.length).toBeLessThanOrEqual(platform.limits.message_characters);
    expect(message?.files?.[0]?.name).toBe("arguments.json");
    expect(new TextDecoder().decode(message?.files?.[0]?.data)).toContain("x".repeat(5_000));
  });

  it.each([
    [true, "Ben B.", "**Ben B.** approved."],
    [false, "Ben B.", "**Ben B.** refused."],
    [true, "B [ok](http://x)", "**B \\[ok\\](http://x)** approved."],
  ])("an approval finally says who decided (approved: %s, %s)", async (approved, name, end) => {
    const platform = createFakePlatform();
    platform.people.set("ben", { name });
    const decided: TurnEventBody = { type: "approval_decided", approval_id: "turn:0", approved, by: "ben" };
    await present([approval({ to: "x" }), isThere(platform), decided, finished], platform);
    const card = platform.visible().find(({ message }) => message.tag?.purpose === "approval");
    expect(card?.message.markdown).toContain(end);
    expect(card?.message.buttons).toBeUndefined();
  });

  it("an approval that nobody decided is closed with the turn", async () => {
    const platform = createFakePlatform();
    await present([approval({ to: "x" }), isThere(platform), finished], platform);
    const card = platform.visible().find(({ message }) => message.tag?.purpose === "approval");
    expect(card?.message.markdown).toContain("it was not run");
    expect(card?.message.buttons).toBeUndefined();
  });
});
