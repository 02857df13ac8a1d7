import { describe, expect, it } from "vitest";
import { scriptedModel, toolResults } from "../../../support/models/scripted-model.ts";
import { createTestApp, home } from "../../../support/test-app.ts";

const write = (name: string, content: string) => [{ call: "write_file", with: { name, content } }];

describe("write_file", () => {
  it("write_file hands the person a file, and keeps it in the thread for code and later turns", async () => {
    const model = scriptedModel([write("notes.md", "# Notes"), "Here it is."]);
    const { ask, files, folders } = createTestApp(model);
    const { turnId, events } = await ask("write it down");
    expect(events.find(({ type }) => type === "file")).toMatchObject({
      name: "notes.md",
      media_type: "text/markdown",
    });
    expect(new TextDecoder().decode((await files.get(turnId, "notes.md"))?.data)).toBe("# Notes");
    expect((await folders.of(home).list()).files.map(({ path }) => path)).toEqual([
      "/workspace/output/notes.md",
    ]);
    expect(toolResults(model.requests[1]?.messages ?? [])[0]).toContain("files the person gets");
  });

  it("write_file replaces a file of the same name, and says when nothing is new", async () => {
    const model = scriptedModel([write("a.txt", "1"), write("a.txt", "2"), write("a.txt", "2 "), "ok"]);
    const { ask, folders } = createTestApp(model);
    await ask("go");
    const file = await folders.of(home).open("/workspace/output/a.txt");
    expect(new TextDecoder().decode(await file?.read(0, 9))).toBe("2 ");
    await file?.close();
  });

  it.each(["/workspace/output/notes.md", "output/notes.md"])(
    "write_file takes %s for the file it names",
    async (path) => {
      const { ask, folders } = createTestApp(
        scriptedModel([write("notes.md", "1"), write(path, "22"), "ok"]),
      );
      await ask("go");
      expect((await folders.of(home).list()).files).toMatchObject([
        { path: "/workspace/output/notes.md", bytes: 2 },
      ]);
    },
  );

  const change = (name: string, replace: string, by: string) => [
    { call: "write_file", with: { name, replace, with: by } },
  ];

  it("write_file changes a part of a file that it wrote, and of one that a person attached", async () => {
    const model = scriptedModel([
      write("notes.md", "one\ntwo\nthree\n"),
      change("notes.md", "two\n", "2\n"),
      change("/workspace/input/orders.csv", "Oslo,3", "Oslo,$&4"),
      "Done.",
    ]);
    const { ask, folders } = createTestApp(model);
    const folder = folders.of(home);
    const orders = new TextEncoder().encode("city,late\nOslo,3\n");
    await folder.attach({ name: "orders.csv", media_type: "text/csv", data: orders }, { turn_id: "earlier" });
    const { events } = await ask("fix it");
    const textOf = async (path: string) => {
      const file = await folder.open(path);
      return new TextDecoder().decode(await file?.read(0, 99).finally(() => file?.close()));
    };
    expect(await textOf("/workspace/output/notes.md")).toBe("one\n2\nthree\n");
    expect(await textOf("/workspace/output/orders.csv")).toBe("city,late\nOslo,$&4\n");
    expect(await textOf("/workspace/input/orders.csv")).toBe("city,late\nOslo,3\n");
    expect(events.filter(({ type }) => type === "file")).toHaveLength(3);
  });

  it.each([
    ["does not occur", change("notes.md", "four", "4"), "does not occur in notes.md"],
    ["occurs several times", change("notes.md", "e", "E"), "occurs 4 times in notes.md"],
    ["is of a file that is not there", change("other.md", "e", "E"), "no file other.md"],
    ["is missing, as everything else", [{ call: "write_file", with: { name: "a.md" } }], "nothing to write"],
  ])("write_file changes nothing when the text to replace %s", async (_what, call, said) => {
    const model = scriptedModel([write("notes.md", "one\nthe\nthree\n"), call, "Done."]);
    const { ask } = createTestApp(model);
    const { events } = await ask("fix it");
    expect(toolResults(model.requests[2]?.messages ?? []).at(-1)).toContain(said);
    expect(events.filter(({ type }) => type === "file")).toHaveLength(1);
  });

  it("write_file keeps a name within its folder", async () => {
    const model = scriptedModel([write("../../etc/passwd", "x"), "ok"]);
    const { ask, folders } = createTestApp(model);
    await ask("go");
    const paths = (await folders.of(home).list()).files.map(({ path }) => path);
    expect(paths).toHaveLength(1);
    expect(paths[0]).toMatch(/^\/workspace\/output\/[^/]+$/);
  });
});
