import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../../../../src/core/log/turn-event.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { codeThatWrites, exited, type FakeCode, fakeCode, means } from "../../../support/fakes/fake-code.ts";
import { bytesOf, writes } from "../../../support/fakes/folder-code.ts";
import { type ScriptedModel, scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { temporaryDisk } from "../../../support/temporary-folders.ts";
import { createTestApp, home } from "../../../support/test-app.ts";

const call = (code: string, language = "python") => ({ call: "run_code", with: { language, code } });
const results = ({ requests }: ScriptedModel) => toolResults(requests.at(-1)?.messages ?? []);
const filesOf = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === "file" ? [[event.name, event.media_type, event.bytes]] : []));

/** A bot whose model runs each of these texts, in a round of its own, and then answers. */
function bot(code: FakeCode | undefined, ...texts: string[]) {
  const model = scriptedModel([...texts.map((text) => [call(text)]), "Done."]);
  return { ...createTestApp(model, code === undefined ? {} : { code }), model };
}

describe("run_code", () => {
  it("run_code is offered where code can run, with what it finds there", async () => {
    const offered = async (code: FakeCode | undefined) => {
      const { ask, model } = bot(code);
      await ask("hello");
      const tool = model.requests[0]?.tools.find(({ name }) => name === "run_code");
      return { description: tool?.description, system: model.requests[0]?.system ?? "" };
    };
    const full = await offered(
      fakeCode(async () => exited(""), {
        ok: true,
        ...means,
        packages: { python: ["numpy 2.3.1", "pandas 2.2.0"] },
        hosts: ["pypi.org", "*.example.com"],
      }),
    );
    expect(full.description).toContain("Python has numpy 2.3.1, pandas 2.2.0.");
    expect(full.description).toContain("It reaches pypi.org, *.example.com and nothing else.");
    expect(full.description).not.toContain("There is no");
    expect(full.system).not.toContain("run code");
    const poor = await offered(fakeCode(async () => exited(""), { ok: true, ...means, languages: ["bash"] }));
    expect(poor.description).toContain("There is no python and no javascript here.");
    expect(poor.description).toContain("No network.");
    const none = await offered(
      fakeCode(async () => exited(""), { ok: false, reason: "There is no bubblewrap. Install it." }),
    );
    expect(none.description).toBeUndefined();
    expect(none.system).toContain("run code (There is no bubblewrap. Install it.)");
    const off = await offered(undefined);
    expect(off.description).toBeUndefined();
    expect(off.system).not.toContain("run code");
  });

  it("run_code with hosts asks its person once untrusted text was read, and not before [sandbox-11]", async () => {
    const code = fakeCode(async () => exited("done"), { ok: true, ...means, hosts: ["pypi.org"] });
    const reads = [{ call: "echo", with: {} }];
    const model = scriptedModel([[call("harmless()")], reads, [call("send()")], "Done."]);
    const skills = [testSkill("echo", [{ name: "echo" }], { active: true })];
    const { say, until } = createTestApp(model, { code, skills });
    const request = await until(await say("go"), "approval_requested");
    expect(request).toMatchObject({ tool: "run_code", approver: "asker", input: { code: "send()" } });
    expect(request.reason).toContain("pypi.org");
    expect(code.ran.map((ran) => ran.code)).toEqual(["harmless()"]);
  });

  it("run_code records the hosts that its code connected to, with the call", async () => {
    const code = fakeCode(async (request) => {
      for (const host of ["pypi.org", "files.example.com", "pypi.org"]) request.onHost?.(host);
      return exited("done");
    });
    const { events } = await bot(code, "fetch()").ask("go");
    const ends = events.filter((event) => event.type === "tool_finished");
    expect(ends).toMatchObject([{ tool: "run_code", hosts: ["pypi.org", "files.example.com"] }]);
  });

  it("run_code works in the thread's folder, and each content left in output becomes a file of the answer once", async () => {
    const code = codeThatWrites({
      "output/report.csv": "a,b",
      "output/charts/report.csv": "c,d,e",
      "notes.txt": "note",
      ".cache": "x",
    });
    const { ask, model, errors, app } = bot(code, "first", "second");
    const { events, turnId } = await ask("go");
    expect(filesOf(events)).toEqual(
      expect.arrayContaining([
        ["report.csv", "text/csv", 3],
        ["charts_report.csv", "text/csv", 5],
      ]),
    );
    expect(filesOf(events)).toHaveLength(2);
    expect(await app.file(turnId, "charts_report.csv")).toMatchObject({ data: bytesOf("c,d,e") });
    const [first, second] = results(model);
    expect(first).toMatch(/^done\n\[files the person gets with your answer: \S+ \(\d B\), \S+ \(\d B\)\]\n/);
    expect(first).toContain("/workspace/output/charts/report.csv (5 B)");
    expect(first).toContain("[it made /workspace/notes.txt (4 B)]");
    expect(first).not.toContain(".cache");
    // The same files again: nobody gets them twice.
    expect(second).not.toContain("the person gets");
    expect(code.ran.map(({ working }) => working?.working)).toEqual(["/workspace", "/workspace"]);
    expect(errors).toEqual([]);
  });

  it("run_code hands over as many files as a call may, none too large, and loses nothing else", async () => {
    const many = Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`output/${at}.txt`, `${at}`]));
    const large = { "output/large.bin": "x".repeat(25_000_001) };
    const { ask, model } = bot(codeThatWrites({ ...many, ...large }), "x");
    const { events } = await ask("go");
    expect(filesOf(events)).toHaveLength(10);
    expect(results(model)[0]).toMatch(/^done\n/);
    expect(results(model)[0]).toContain("[3 more files in the output folder were not handed over");
    expect(results(model)[0]).toContain(
      "[too large to be handed over, at most 25.0 MB a file: /workspace/output/large.bin (25.0 MB)]",
    );
  });

  it("run_code shows the model a picture that it made", async () => {
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 1, 2, 3]);
    const code = fakeCode(async ({ working }) => {
      if (working !== undefined) await writes({ "output/plot.png": png })(working);
      return exited("");
    });
    const { ask, model } = bot(code, "plot");
    await ask("go");
    const shown = model.requests.at(-1)?.messages.find(({ role }) => role === "tool");
    const base64 = Buffer.from(png).toString("base64");
    expect(shown).toMatchObject({ images: [{ media_type: "image/png", base64 }] });
  });

  it.each([
    ["a failure", exited("half", { exit_code: 1, stderr: "Traceback" }), /ended with 1\.\\nhalf\\nTraceback/],
    [
      "the end of its time",
      { status: "timed_out", stdout: "half", stderr: "" },
      /stopped after 120 s\.\\nhalf/,
    ],
    ["a complaint", exited("fine", { stderr: "warning" }), /^fine\n\[error output: warning\]\n/],
    [
      "too much output",
      exited("much", { truncated: true }),
      /^\[cut: the program printed more [^\n]*\]\nmuch\n/,
    ],
    ["nothing at all", exited(""), /^\[it made/],
    ["a refusal", { status: "refused", reason: "No place." }, /"error":"No place\."/],
  ] as const)("run_code reports %s, and what it had changed by then", async (_, outcome, said) => {
    const code = fakeCode(async ({ working }) => {
      if (working !== undefined && outcome.status !== "refused") await writes({ "left.txt": "l" })(working);
      return outcome;
    });
    const { ask, model } = bot(code, "x");
    await ask("go");
    expect(results(model)[0]).toMatch(said);
    if (outcome.status !== "refused") expect(results(model)[0]).toContain("made /workspace/left.txt (1 B)");
  });

  it("run_code is stopped with its turn, and the next turn finds what it had written", async () => {
    const begun = Promise.withResolvers<void>();
    const code = fakeCode(async ({ working, signal }) => {
      if (working !== undefined) await writes({ "half.txt": "h" })(working);
      begun.resolve();
      return await new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    });
    const model = scriptedModel(({ messages }) => {
      if (messages.at(-1)?.role === "tool") return "Done.";
      return messages.length === 1 ? [call("x")] : [{ call: "list_files" }];
    });
    const { ask, say, events, app } = createTestApp(model, { code });
    const turnId = await say("go");
    await begun.promise;
    const asker = { by: { id: "ada", name: "Ada", trust: "operator" as const }, namespace: home.namespace };
    await app.run("turn.stop", { input: { id: turnId }, asker });
    expect((await events(turnId)).at(-1)).toMatchObject({ outcome: "stopped" });
    await ask("and now?");
    expect(results(model).at(-1)).toContain("/workspace/half.txt (1 B,");
  });

  it("run_code is not repeated after a crash: the model is told what it had changed [sandbox-10]", async () => {
    const log = createMemoryTurnLog();
    const disk = temporaryDisk();
    const begun = Promise.withResolvers<void>();
    const dying = fakeCode(async ({ working }) => {
      if (working !== undefined) await writes({ "output/half.csv": "a,b", "notes.txt": "n" })(working);
      begun.resolve();
      return await new Promise<never>(() => {});
    });
    const model = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === "tool" ? "I looked." : [call("x")],
    );
    const first = createTestApp(model, { log, folders: disk.open(), code: dying });
    const turnId = await first.say("go");
    await begun.promise;
    await first.stop(0);
    await log.reclaim();
    const code = fakeCode(async () => exited("ran again"));
    const again = createTestApp(model, { log, folders: disk.open(), code });
    expect((await again.events(turnId)).at(-1)).toMatchObject({ outcome: "completed", text: "I looked." });
    expect(code.ran).toEqual([]);
    const [told] = results(model);
    expect(told).toContain("outcome_unknown");
    expect(told).toMatch(/By then it had made .*\/workspace\/output\/half\.csv \(3 B\)/);
    expect(told).toContain("/workspace/notes.txt (1 B)");
    await again.stop(0);
  });
});
