import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeBot, problem, type Route } from "./fake-bot.ts";
import { runKnack } from "./run-knack.ts";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), "knack-cli-"));
});
afterEach(() => rm(cwd, { recursive: true }));

describe("knack sandbox", () => {
  async function run(argv: string[], routes: Record<string, Route>) {
    const { code, out, err } = runKnack(["sandbox", ...argv], { cwd, bot: fakeBot(routes) });
    return { code: await code, out: out.text(), err: err.text() };
  }

  it("`knack sandbox` adds packages and says what is there", async () => {
    const bodies: unknown[] = [];
    const add: Route = async (request) => {
      bodies.push(await request.json());
      return { state: "done", message: "Python: 2 packages." };
    };
    expect(await run(["add", "python", "numpy==2.1.0", "pandas"], { "POST /sandbox/packages": add })).toEqual(
      {
        ...{ code: 0, out: "Python: 2 packages.\n", err: "" },
      },
    );
    expect(bodies).toEqual([{ language: "python", packages: ["numpy==2.1.0", "pandas"] }]);
  });

  it.each([true, false])("`knack sandbox` waits for running work, and says how it ended (%s)", async (ok) => {
    const states = [
      { working: { what: "Node", since: 0, line: "fetching docx" } },
      { last: { what: "Node", ok, message: "The end." } },
    ];
    const ended = await run(["add", "node", "docx@9"], {
      "POST /sandbox/packages": () => ({ state: "working", message: "It goes on." }),
      "GET /sandbox/packages": () => ({ sets: [], ...states.shift() }),
    });
    expect(ended).toEqual(
      ok
        ? { code: 0, out: "The end.\n", err: "fetching docx\n" }
        : { code: 1, out: "", err: "fetching docx\nThe end.\n" },
    );
  });

  it("`knack sandbox` says why something was refused", async () => {
    const refused = await run(["prepare", "plotter"], {
      "POST /skills/plotter/prepare": () => problem(409, "plotter lists no packages."),
    });
    expect(refused).toEqual({ code: 1, out: "", err: "plotter lists no packages.\n" });
  });

  it("`knack sandbox` lists what is prepared, with what is wrong with it", async () => {
    const set = { asked: ["numpy"], runtime: "3.11", prepared_at: 0, by: "ada", bytes: 60_000_000 };
    const packages = [{ name: "numpy", version: "2.1.0" }];
    const sets = [
      { ...set, packages, language: "python" },
      { ...set, packages, language: "python", skill: "plotter", problem: "It was prepared for Python 3.11." },
    ];
    const { out } = await run(["list"], { "GET /sandbox/packages": () => ({ sets }) });
    expect(out.split("\n")).toEqual([
      "• Python 3.11 for all code (60 MB; asked for: numpy): numpy 2.1.0",
      "• Python 3.11 for the skill plotter (60 MB; asked for: numpy): numpy 2.1.0",
      "  It was prepared for Python 3.11.",
      "",
    ]);
  });
});
