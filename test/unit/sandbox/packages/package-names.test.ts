import { describe, expect, it } from "vitest";
import {
  readDependencies,
  readPackage,
  readPackages,
  readRequirements,
} from "../../../../src/sandbox/prepare/package-names.ts";

describe("names of packages", () => {
  it.each([
    ["python", "numpy", "numpy", "numpy"],
    ["python", "numpy==2.1.0", "numpy", "numpy==2.1.0"],
    ["python", "Pillow >= 10, < 12", "pillow", "Pillow >= 10, < 12"],
    ["python", "zope.interface~=6.0", "zope-interface", "zope.interface~=6.0"],
    ["python", "uvicorn[standard]==0.30.*", "uvicorn", "uvicorn[standard]==0.30.*"],
    ["python", 'tomli; python_version < "3.11"', "tomli", 'tomli; python_version < "3.11"'],
    ["node", "docx", "docx", "*"],
    ["node", "docx@9", "docx", "9"],
    ["node", "@types/node@^26.1.0", "@types/node", "^26.1.0"],
    ["node", "left-pad@>=1 <2 || 3.x", "left-pad", ">=1 <2 || 3.x"],
  ] as const)("the %s package name %s is accepted", (language, text, name, spec) => {
    expect(readPackage(language, text)).toMatchObject({ name, spec, text });
  });

  it.each([
    ["python", "--index-url=https://evil.example"],
    ["python", "-e ."],
    ["python", "-r /etc/passwd"],
    ["python", "numpy --index-url https://evil.example"],
    ["python", "numpy; x -e y"],
    ["python", "git+https://evil.example/x"],
    ["python", "numpy @ https://evil.example/numpy.whl"],
    ["python", "https://evil.example/numpy.whl"],
    ["python", "./numpy"],
    ["python", "../numpy"],
    ["python", "/tmp/numpy.whl"],
    ["python", "file:///tmp/numpy.whl"],
    ["python", "numpy\n--pre"],
    ["python", "numpy\0"],
    ["python", "$(id)"],
    ["python", ""],
    ["node", "--registry=https://evil.example"],
    ["node", "git+https://evil.example/x"],
    ["node", "github:owner/name"],
    ["node", "owner/name"],
    ["node", "https://evil.example/x.tgz"],
    ["node", "x@https://evil.example/x.tgz"],
    ["node", "x@npm:y@1"],
    ["node", "x@file:../y"],
    ["node", "x@../y"],
    ["node", "./x"],
    ["node", "../x"],
    ["node", ".hidden"],
    ["node", "node_modules"],
    ["node", "x@1\n"],
    ["node", "x@1\ny"],
    ["node", ""],
  ] as const)("the %s package name %j is not accepted", (language, text) => {
    const asked = readPackages(language, [text]);
    // A line end around a name is no part of it.
    if (text === "x@1\n") expect(asked).toMatchObject({ ok: true, value: [{ text: "x@1" }] });
    else expect(asked).toMatchObject({ ok: false, reason: expect.stringContaining("is no package") });
  });

  it("reading package names is quick with text made to be slow", () => {
    const began = performance.now();
    for (const text of [
      `a${" ".repeat(390)}!`,
      `a${">=1 ,".repeat(78)}!`,
      `a${"==1 ".repeat(98)}@`,
      `a==${"1".repeat(390)}!`,
      `a;${" x".repeat(190)}?`,
    ])
      readPackage("python", text);
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it("a requirements.txt is read with its hashes, and nothing that leads elsewhere", () => {
    const hash = "a".repeat(64);
    expect(
      readRequirements(`\uFEFF# first\nnumpy==2.1.0 \\\n  --hash=sha256:${hash}\n\npandas  # second\n`),
    ).toEqual({
      ok: true,
      value: [
        { name: "numpy", spec: "numpy==2.1.0", text: "numpy==2.1.0", hashes: [hash] },
        { name: "pandas", spec: "pandas", text: "pandas", hashes: [] },
      ],
    });
    for (const line of [
      "-r other.txt",
      "--extra-index-url https://evil.example",
      "-e .",
      "x @ file:///x",
      `x --hash=md5:${hash}`,
    ])
      expect(readRequirements(`numpy\n${line}\n`)).toMatchObject({ ok: false });
  });

  it("the dependencies of a package.json are read, and nothing that leads elsewhere", () => {
    const of = (dependencies: object) =>
      readDependencies(JSON.stringify({ dependencies, devDependencies: { x: "1" } }));
    expect(of({ docx: "^9.0.0", "@a/b": "latest" })).toMatchObject({
      value: [
        { name: "docx", spec: "^9.0.0" },
        { name: "@a/b", spec: "latest" },
      ],
    });
    expect(readDependencies("{}")).toEqual({ ok: true, value: [] });
    for (const range of [
      "git+ssh://x",
      "file:../x",
      "owner/name",
      "npm:y@1",
      "https://x/y.tgz",
      "workspace:*",
    ])
      expect(of({ x: range })).toMatchObject({ ok: false });
    expect(readDependencies("{")).toMatchObject({ ok: false });
  });
});
