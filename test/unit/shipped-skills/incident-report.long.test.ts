import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { validatePackage } from "../../../src/skills/document/validate-package.ts";
import { needs } from "../../support/needs.ts";

const folder = "skills/incident-report";

async function timeline(args: string[], stdin = "") {
  const child = spawn("python3", [`${folder}/scripts/timeline.py`, ...args]);
  child.stdin.end(stdin);
  const exit = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { out, errors, code };
}

describe("the incident-report skill", () => {
  it("the incident-report skill is a valid Agent Skills package whose guide names files that exist", async () => {
    expect(await validatePackage(folder)).toEqual({ valid: true, errors: [] });
    const guide = await readFile(`${folder}/SKILL.md`, "utf8");
    const named = [...guide.matchAll(/`((?:scripts|references)\/[\w./-]+)`/g)].map((match) => match[1] ?? "");
    expect(new Set(named)).toEqual(new Set(["scripts/timeline.py", "references/template.md"]));
    for (const file of named) expect(await readFile(`${folder}/${file}`, "utf8")).not.toBe("");
  });
});

describe("timeline.py", needs("python3"), () => {
  it("timeline.py sorts lines and tells how long each phase took", async () => {
    const { out, code } = await timeline(
      ["--zone", "UTC"],
      "14:09 Alert: errors | 5 %\n\n- 14:02 - Deploy begins\n15:20 Over\n",
    );
    expect(code).toBe(0);
    expect(out).toBe(
      [
        "| Time (UTC) | Event | Until the next | Since the start |",
        "|---|---|---|---|",
        "| 14:02 | Deploy begins | 7 min | 0 s |",
        "| 14:09 | Alert: errors \\| 5 % | 1 h 11 min | 7 min |",
        "| 15:20 | Over | – | 1 h 18 min |",
        "",
        "**Total:** 1 h 18 min, 3 events.",
        "",
      ].join("\n"),
    );
  });

  it("timeline.py follows midnight, with and without dates", async () => {
    expect((await timeline(["23:50 Alert", "00:15:30 Over"])).out).toContain(
      "| 00:15:30 (day 2) | Over | – | 25 min 30 s |",
    );
    const dated = await timeline(["14:02 Deploy", "2026-03-06 00:15 Over"]);
    expect(dated.out).toContain("| 2026-03-05 14:02 | Deploy | 10 h 13 min | 0 s |");
    expect((await timeline(["--date", "2026-03-01", "9:00 PM Start", "2026-03-03 09:00 End"])).out).toContain(
      "**Total:** 1 d 12 h",
    );
  });

  it("timeline.py lists lines it cannot read with their number and keeps the others", async () => {
    const { out, errors, code } = await timeline([], "14:02 Deploy\nsomething\n25:00 never\n14:05 Over ✓\n");
    expect(code).toBe(1);
    expect(errors).toMatch(/line 2 [\s\S]*line 3 /);
    expect(out).toContain("14:05 | Over ✓");
  });

  it("timeline.py says so when there is no event", async () => {
    const { out, errors, code } = await timeline([], "nothing here\n");
    expect([out, code]).toEqual(["", 2]);
    expect(errors).toContain("14:02 Deploy begins");
  });
});
