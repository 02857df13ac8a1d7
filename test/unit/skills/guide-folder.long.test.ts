import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../../src/sandbox/create-sandbox.ts";
import { scriptedModel, toolResults } from "../../support/models/scripted-model.ts";
import { needs } from "../../support/needs.ts";
import { createTestApp } from "../../support/test-app.ts";
import { sourceOf, temporaryFolder } from "./temporary-folder.ts";

/** A guide in the layout of the public office and skill-making guides, whose command lines use relative paths. */
const guide = {
  "SKILL.md": `---
name: office
description: Edits documents. Use it for documents.
active: true
---
python scripts/office/unpack.py document.docx unpacked/
python scripts/office/pack.py unpacked/ out.docx --original document.docx
python -m scripts.quick_validate my-skill/
`,
  "scripts/__init__.py": "",
  "scripts/office/helpers/__init__.py": "",
  "scripts/office/helpers/parts.py":
    "from pathlib import Path\ndef known(name): return name in (Path(__file__).parents[3] / 'templates/parts.txt').read_text()\n",
  "scripts/office/unpack.py":
    "import sys, zipfile\nfrom helpers.parts import known\nwith zipfile.ZipFile(sys.argv[1]) as z:\n  z.extractall(sys.argv[2])\n  print(sorted(n for n in z.namelist() if known(n)))\n",
  "scripts/office/pack.py":
    "import os, sys, zipfile\nfrom pathlib import Path\nassert os.path.exists(sys.argv[4]), sys.argv[4]\nwith zipfile.ZipFile(sys.argv[2], 'w') as z:\n  for p in sorted(Path(sys.argv[1]).rglob('*.xml')): z.write(p, p.relative_to(sys.argv[1]))\nprint('packed', sys.argv[2])\n",
  "scripts/quick_validate.py":
    "import sys\nfrom pathlib import Path\nprint('valid' if (Path(sys.argv[1]) / 'SKILL.md').exists() else 'SKILL.md not found')\n",
  "templates/parts.txt": "word/document.xml\n",
};

const dataDir = mkdtempSync(join(tmpdir(), "knack-guide-"));
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ dataDir });
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const code = (language: string, text: string) => ({ call: "run_code", with: { language, code: text } });
const line = (command: string) => ({ call: "run_skill_script", with: { skill_name: "office", command } });

test(
  "a guide's own relative command lines work on what code left in the thread, and code on what they left",
  needs("bubblewrap", "python3"),
  async () => {
    const root = temporaryFolder(
      Object.fromEntries(Object.entries(guide).map(([path, text]) => [`office/${path}`, text])),
    );
    const model = scriptedModel([
      [
        code(
          "python",
          "import os, zipfile\nwith zipfile.ZipFile('document.docx', 'w') as z: z.writestr('word/document.xml', '<w>old</w>')\nos.mkdir('my-skill'); open('my-skill/SKILL.md', 'w').write('x')",
        ),
      ],
      [line("python scripts/office/unpack.py document.docx unpacked/")],
      [code("bash", "sed -i s/old/new/ unpacked/word/document.xml && ls unpacked")],
      [line("python scripts/office/pack.py unpacked/ output/out.docx --original document.docx")],
      [
        line(
          "cd my-skill && python -m scripts.quick_validate . && python ../scripts/quick_validate.py /workspace/my-skill",
        ),
      ],
      [
        {
          call: "run_skill_script",
          with: { skill_name: "office", script: "scripts/quick_validate.py", args: ["my-skill"] },
        },
      ],
      [
        code(
          "bash",
          "python scripts/office/unpack.py output/out.docx again && cat again/word/document.xml; ls -R | grep -c parts",
        ),
      ],
      [{ call: "list_files", with: {} }],
      "Done.",
    ]);
    const { code: runs, scripts } = sandbox;
    const app = createTestApp(model, {
      sources: [sourceOf(root, { source: "workspace" })],
      scripts,
      code: runs,
    });
    const { events } = await app.ask("go");
    const results = toolResults(model.requests.at(-1)?.messages ?? []);
    expect(results[1]).toMatch(
      /^\['word\/document\.xml'\]\n+\[it made \/workspace\/unpacked\/word\/document\.xml/,
    );
    expect(results[2]).toMatch(/^word\n/);
    expect(results[3]).toMatch(
      /^packed output\/out\.docx\n+\[files the person gets with your answer: .*out\.docx/,
    );
    expect(results[4]?.trim()).toBe("valid\nvalid");
    expect(results[5]?.trim()).toBe("valid");
    expect(results[6]).toMatch(/^\['word\/document\.xml'\]\n<w>new<\/w>/);
    expect(results[7]).not.toMatch(/scripts|templates|office/);
    expect(events.filter(({ type }) => type === "file")).toMatchObject([{ name: "out.docx" }]);
  },
);
