import { describe, expect, it } from "vitest";
import { noUsage } from "../../../src/core/log/usage.ts";
import { runChat } from "../../../src/platforms/terminal/chat.ts";
import { fakeChatClient, finish, type Script, step } from "./fake-chat-client.ts";
import { fakeTerminal } from "./fake-terminal.ts";

const echo: Script = async ({ text, emit }) => emit(finish(`You said **${text}**.`));

function open(script: Script, isTTY = true) {
  const terminal = fakeTerminal(isTTY);
  const { client, asked } = fakeChatClient(script);
  let interrupt = () => {};
  const done = runChat({
    client,
    input: terminal.input,
    output: terminal.output,
    clock: { now: () => 5000 },
    namespace: "console:local:dm",
    colours: false,
    onInterrupt(listener) {
      interrupt = listener;
      return () => undefined;
    },
  });
  return { ...terminal, asked, done, interrupt: () => interrupt() };
}

describe("in a terminal", () => {
  it("the terminal sends lines into one thread, renders the answers and leaves with /exit", async () => {
    const chat = open(echo);
    await chat.shows("› ");
    chat.type("hello\r");
    await chat.shows("You said hello.");
    await chat.shows("› ");
    chat.type("again\r");
    await chat.shows("You said again.");
    chat.type("/exit\r");
    await chat.done;
    expect(chat.asked.submitted).toEqual([
      { thread: "thread-1", text: "hello" },
      { thread: "thread-1", text: "again" },
    ]);
    expect(chat.text()).toContain("knack chat --namespace console:local:dm --thread thread-1");
  });

  it("the terminal shows steps while they run and a summary afterwards", async () => {
    const chat = open(async ({ emit, stopped }) => {
      const [started, stage, finished] = step("c1", "Reading a page");
      if (started && stage) [started, stage].forEach(emit);
      await stopped;
      if (finished) emit(finished);
      emit(finish("Done."));
    });
    await chat.shows("› ");
    chat.type("go\r");
    await chat.shows("→ Reading a page");
    await chat.shows("✔ fetch");
    chat.type("\u0003");
    await chat.shows("✔ 1 step");
    await chat.shows("Done.");
    expect(chat.asked.stops).toEqual(["turn-1"]);
    chat.type("/exit\r");
    await chat.done;
  });

  it("the terminal prints the files of a turn with their addresses", async () => {
    const chat = open(async ({ emit }) => {
      const url = "/api/v1/turns/turn-1/files/report.csv";
      emit({ type: "file", name: "report.csv", media_type: "text/csv", bytes: 12_345, url });
      emit(finish("Done."));
    });
    await chat.shows("› ");
    chat.type("go\r");
    await chat.shows("File: report.csv (12 kB) /api/v1/turns/turn-1/files/report.csv");
    chat.type("/exit\r");
    await chat.done;
  });

  it("the terminal keeps what is typed during a turn for the next prompt", async () => {
    const release = Promise.withResolvers<void>();
    const chat = open(async ({ text, emit }) => {
      for (const event of step(text, "Reading a page")) emit(event);
      if (text === "first") await release.promise;
      emit(finish(`Answer to ${text}.`));
    });
    await chat.shows("› ");
    chat.type("first\r");
    await chat.shows("✔ Reading a page");
    chat.type("second\r");
    release.resolve();
    await chat.shows("Answer to first.");
    await chat.shows("Answer to second.");
    chat.type("/exit\r");
    await chat.done;
  });

  it.each([
    ["that ends within a line, after Enter", ["look: ", "one\r\ntwo\rthree", " ok\r"]],
    ["that ends with a line", ["look: ", "one\r\ntwo\rthree ok\r"]],
    ["with the marks of a terminal", ["look: \u001b[200~one\r\ntwo\rthree\u001b[201~ ok\r"]],
    ["that comes in pieces", ["look: one\r\nt", "wo\rthr", "ee ok\r"]],
  ])("the terminal sends a pasted text of several lines as one message: %s", async (_name, pieces) => {
    const chat = open(echo);
    await chat.shows("› ");
    for (const piece of pieces) {
      chat.type(piece);
      await new Promise(setImmediate);
    }
    await chat.shows("You said");
    expect(chat.asked.submitted).toMatchObject([{ text: "look: one\ntwo\nthree ok" }]);
    chat.type("/exit\r");
    await chat.done;
  });

  it("the terminal takes an answer to the agent's question, by number or in words", async () => {
    const chat = open(async ({ emit, answered }) => {
      const question = { question_id: "q", text: "Which one?", choices: ["red", "blue"], expires_at: 9e12 };
      emit({ type: "question_asked", ...question });
      emit({ type: "turn_waiting", until: 9e12 });
      const text = await answered;
      emit({ type: "question_answered", question_id: "q", text, by: "operator" });
      emit(finish(`You chose ${text}.`));
    });
    await chat.shows("› ");
    chat.type("paint\r");
    await chat.shows("2 blue");
    await chat.shows("? ");
    chat.type("2\r");
    await chat.shows("You chose blue.");
    chat.type("/exit\r");
    await chat.done;
  });

  it("the terminal shows what a tool would run with, and takes yes or no", async () => {
    const chat = open(async ({ emit, decided }) => {
      const call = { call_id: "c1", tool: "send", skill_id: "mail", input: { to: "all@example.com" } };
      const approval_id = "turn-1:1";
      const question = "Send it to everybody?";
      const asked = { ...call, question, approver: "operator", expires_at: 9e12 } as const;
      emit({ type: "approval_requested", approval_id, ...asked });
      emit({ type: "turn_waiting", until: 9e12 });
      const approved = await decided;
      emit({ type: "approval_decided", approval_id, approved, by: "operator" });
      emit(finish(approved ? "Sent." : "Not sent."));
    });
    await chat.shows("› ");
    chat.type("mail them\r");
    await chat.shows("The skill mail asks: Send it to everybody?");
    await chat.shows("An operator may decide.");
    await chat.shows('"to": "all@example.com"');
    await chat.shows("? ");
    chat.type("maybe\r");
    await chat.shows("y runs it, n refuses it.");
    chat.type("n\r");
    await chat.shows("Not sent.");
    chat.type("/exit\r");
    await chat.done;
  });

  it("the terminal completes commands with Tab", async () => {
    const chat = open(echo);
    await chat.shows("› ");
    chat.type("/ski\t");
    await chat.shows("/skill list");
    expect(chat.asked.completed).toEqual(["/ski"]);
    chat.type("\r");
    await chat.shows("You said /skill list.");
    chat.type("/exit\r");
    await chat.done;
  });

  it("the terminal empties the line with Ctrl-C, and leaves when it is pressed twice", async () => {
    const chat = open(echo);
    await chat.shows("› ");
    chat.type("never sent\u0003");
    await chat.shows("› ");
    chat.type("\u0003");
    await chat.shows("again to leave");
    chat.type("\u0003");
    await chat.done;
    expect(chat.asked.submitted).toEqual([]);
  });

  it("the terminal leaves at once when a turn that was told to stop continues", async () => {
    const chat = open(({ emit }) => {
      for (const event of step("c1", "Reading a page")) emit(event);
      return new Promise(() => undefined);
    });
    await chat.shows("› ");
    chat.type("go\r");
    await chat.shows("✔ Reading a page");
    chat.type("\u0003");
    chat.type("\u0003");
    await chat.done;
    expect(chat.asked.stops).toEqual(["turn-1"]);
  });

  it("the terminal starts a new thread with /new", async () => {
    const chat = open(echo);
    await chat.shows("› ");
    chat.type("/new\r");
    await chat.shows("new thread");
    chat.type("/exit\r");
    await chat.done;
    expect(chat.asked.submitted).toEqual([]);
  });

  it("the terminal writes no escape sequence a model or tool sent", async () => {
    const evil = "\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u009b31m\u202eok";
    const chat = open(async ({ emit }) => {
      for (const event of step("c1", `Title ${evil}`)) emit(event);
      emit({ type: "text_delta", text: evil });
      emit(finish(`Answer ${evil}`));
    });
    await chat.shows("› ");
    chat.type("go\r");
    await chat.shows("Answer ok");
    chat.type("/exit\r");
    await chat.done;
    for (const part of ["\u001b]52", "\u001b[2J", "\u009b", "\u202e", "\u0007"]) {
      expect(chat.raw()).not.toContain(part);
    }
  });
});

it("the terminal continues a thread: it shows what was said and recalls it with the up key", async () => {
  const terminal = fakeTerminal(true);
  const inbound = {
    key: "k",
    namespace: "console:local:dm",
    thread: "old",
    author: { id: "operator", name: "operator", trust: "operator" as const },
    kind: "message" as const,
    text: "the old question",
  };
  const turn = {
    turn_id: "t0",
    namespace: inbound.namespace,
    thread: "old",
    kind: inbound.kind,
    author: { id: "operator", name: "operator" },
    question: inbound.text,
    status: "finished" as const,
    accepted_at: 0,
    usage: noUsage,
  };
  const stamp = { turn_id: "t0", at: 0 };
  const events = [
    { type: "inbound" as const, inbound, seq: 0, ...stamp },
    {
      type: "turn_finished" as const,
      outcome: "completed" as const,
      text: "the old answer",
      seq: 1,
      ...stamp,
    },
  ];
  const { client, asked } = fakeChatClient(echo, [{ turn, events }]);
  const done = runChat({
    client,
    input: terminal.input,
    output: terminal.output,
    clock: { now: () => 5000 },
    namespace: inbound.namespace,
    thread: "old",
    colours: false,
    onInterrupt: () => () => undefined,
  });
  await terminal.shows("› the old question");
  await terminal.shows("the old answer");
  await terminal.shows("› ");
  terminal.type("\u001b[A\r");
  await terminal.shows("You said the old question.");
  terminal.type("/exit\r");
  await done;
  expect(asked.submitted).toEqual([{ thread: "old", text: "the old question" }]);
});

describe("in a pipe", () => {
  it("a pipe takes each line as a message and only ever adds plain lines", async () => {
    const chat = open(async ({ text, emit }) => {
      for (const event of step("c1", "Reading a page")) emit(event);
      emit(finish(`**${text}**`));
    }, false);
    chat.type("one\ntwo\n");
    chat.input.end();
    await chat.done;
    const turn = (answer: string) =>
      ["→ Reading a page", "  ✔ fetch", "✔ Reading a page 1.2 s", answer, ""].join("\n");
    expect(chat.raw()).toBe(turn("**one**") + turn("**two**"));
  });

  it.each(["", "Half of it.\n\nStopped."])("a pipe says once that a turn was stopped: %j", async (text) => {
    const chat = open(async ({ emit }) => emit({ type: "turn_finished", outcome: "stopped", text }), false);
    chat.type("go\n");
    await chat.shows("Stopped.");
    chat.input.end();
    await chat.done;
    expect(chat.raw().match(/Stopped/g)).toHaveLength(1);
  });

  it("a pipe is left at the second interrupt without a turn", async () => {
    const chat = open(echo, false);
    chat.type("go\n");
    await chat.shows("You said");
    await chat.shows("\n");
    await new Promise(setImmediate);
    chat.interrupt();
    await chat.shows("again to leave");
    chat.interrupt();
    await chat.done;
  });

  it("a pipe stops the turn on an interrupt of the process", async () => {
    const chat = open(async ({ emit, stopped }) => {
      for (const event of step("c1", "Working")) emit(event);
      await stopped;
      emit({ type: "turn_finished", outcome: "stopped", text: "" });
    }, false);
    chat.type("go\n");
    await chat.shows("✔ Working");
    chat.interrupt();
    await chat.shows("Stopped.");
    chat.input.end();
    await chat.done;
  });
});
