import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needs } from "../../support/needs.ts";
import {
  handlerOf,
  type ImportedFixture,
  importedFixture,
  useSandbox,
  writeSkill,
} from "./imported-fixture.ts";

useSandbox();

let shared: ImportedFixture;
beforeAll(() => {
  shared = importedFixture({ cleanUp: afterAll });
});

/** Calls a handler with this body, and then whether the skill still answers. */
async function fail(name: string, code: string) {
  const skill = {
    plugin: { entrypoint: { file: "handler.js", params: { again: { type: "boolean" } } } },
    handler: handlerOf(`if (args.again) return "works";\n${code}`),
  };
  writeSkill(shared.root, name, skill);
  const result = await shared.call(name);
  return { result, again: await shared.call(name, { again: true }) };
}

const works = { status: "ok", output: "works" };

describe("a handler that fails", needs("bubblewrap"), () => {
  it.each([
    [
      "throws",
      'throw new TypeError("no city", { cause: new Error("empty") });',
      "TypeError: no city: empty (handler.js:2)",
    ],
    ["throws text", 'throw "just text";', "Error: just text"],
    [
      "loses a promise",
      'Promise.reject(new Error("lost")); await new Promise(() => {});',
      "Error: lost (handler.js:2)",
    ],
    [
      "throws later",
      'setTimeout(() => { throw new Error("late"); }); await new Promise(() => {});',
      "Error: late (handler.js:2)",
    ],
    ["ends its process", "process.exit(3);", "It ended its own process (exit code 3)"],
    [
      "needs what is not there",
      'require("left-pad");',
      "Cannot find module 'left-pad'. Node's own modules, axios",
    ],
    ["answers too much", 'return "x".repeat(3_000_000);', "3000000 bytes; at most 2000000 are kept"],
  ])("a handler that fails because it %s says so, and works the next time", async (name, code, message) => {
    const { result, again } = await fail(name.replaceAll(" ", "-"), code);
    expect(result).toMatchObject({
      status: "error",
      code: "skill_failed",
      message: expect.stringContaining(message),
    });
    expect(again).toEqual(works);
  });

  it("a handler that fails for lack of memory says so, and works the next time", async () => {
    const { result, again } = await fail(
      "hungry",
      "const all = []; for (;;) all.push(new Array(1e6).fill(7));",
    );
    expect(result).toMatchObject({ code: "skill_ended", message: expect.stringContaining("memory") });
    expect(again).toEqual(works);
  });

  it.each([
    ["waits for ever", "this.introspect('begun'); await new Promise(() => {});"],
    ["loops for ever", "this.introspect('begun'); for (;;);"],
  ])("a handler that %s is stopped with its turn, and works the next time", async (name, code) => {
    const { root, call } = shared;
    const id = name.replaceAll(" ", "-");
    writeSkill(root, id, {
      plugin: { entrypoint: { file: "handler.js", params: { again: { type: "boolean" } } } },
      handler: handlerOf(`if (args.again) return "works"; ${code}`),
    });
    const controller = new AbortController();
    const progress = () => controller.abort(new Error("too long"));
    const result = await call(id, {}, { signal: controller.signal, progress });
    expect(result).toMatchObject({ status: "error" });
    expect(await call(id, { again: true })).toEqual(works);
  });
});

describe("a handler.js that cannot be loaded", needs("bubblewrap"), () => {
  it.each([
    [
      "is no JavaScript",
      "module.exports = {\n  oops oops\n",
      "SyntaxError: Unexpected identifier 'oops' (handler.js:2)",
    ],
    ["throws at once", 'throw new Error("early");', "Error: early (handler.js:1)"],
    [
      "exports something else",
      "module.exports = () => 1;",
      "exports no runtime with a function called handler",
    ],
    ["is empty", "", "exports no runtime with a function called handler"],
  ])("a handler.js that %s says so", async (name, handler, message) => {
    const id = name.replaceAll(" ", "-");
    writeSkill(shared.root, id, { handler });
    expect(await shared.call(id)).toMatchObject({
      status: "error",
      code: "skill_failed",
      message: expect.stringContaining(message),
    });
  });
});

it("a handler sees no variables but those the operator set for it", needs("bubblewrap"), async () => {
  const { root, call } = importedFixture({ settingsOf: (id) => ({ OWNER: id }) });
  writeSkill(root, "curious", {
    handler: handlerOf(
      "return [process.env.OWNER, process.env.PWD, Object.keys(process.env).filter((name) => /KEY|TOKEN|SECRET|VITEST/.test(name))];",
    ),
  });
  const { output } = (await call("curious")) as { output: string };
  expect(JSON.parse(output)).toMatchObject(["curious", expect.anything(), []]);
});
