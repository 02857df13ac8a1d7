import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { installedText, reviewsText } from "../../../src/app/operations/packages/package-review.ts";
import { packagePlace } from "./package-place.ts";

const count = 500;

/** A guide of some pages and a script, as skills of collections have them. */
async function writeSkills(root: string): Promise<void> {
  const guide = "Read the file, and tell the person what is in it. See https://docs.example.com/a.\n".repeat(
    60,
  );
  const script =
    "import json, sys\n\ndef read(path):\n    return json.load(open(path))\n\nprint(read(sys.argv[1]))\n".repeat(
      20,
    );
  for (let at = 0; at < count; at += 1) {
    const folder = join(root, `skill-${at}`);
    await mkdir(join(folder, "scripts"), { recursive: true });
    const head = `---\nname: skill-${at}\ndescription: Reads files of kind ${at}.\n---\n`;
    await writeFile(join(folder, "SKILL.md"), head + guide);
    await writeFile(join(folder, "scripts/read.py"), script);
  }
}

it("a package of 500 skills is reviewed within a minute of processor time and 300 MB, others work meanwhile, and its list is cut", async () => {
  const place = await packagePlace();
  const path = join(place.root, "from");
  await writeSkills(path);
  const packages = await place.open();
  const { signal } = new AbortController();
  const before = process.cpuUsage();
  const [start, most] = [process.memoryUsage().heapUsed, { heap: 0 }];
  let [turns, last] = [0, ""];
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  })();
  const reviewed = await packages.review(
    { kind: "path", path },
    {
      signal,
      onReviewed(_, done, total) {
        last = `${done} of ${total}`;
        most.heap = Math.max(most.heap, process.memoryUsage().heapUsed - start);
      },
    },
  );
  isOver = true;
  await others;
  const { user, system } = process.cpuUsage(before);
  if (!reviewed.ok) throw new Error(reviewed.reason);
  const reviews = reviewed.value;
  process.stdout.write(
    `${count} skills: ${Math.round((user + system) / 1000)} ms of the processor, ${Math.round(most.heap / 1e6)} MB\n`,
  );
  expect([reviews.length, last]).toEqual([count, `${count} of ${count}`]);
  expect((user + system) / 1e6).toBeLessThan(60);
  expect(most.heap).toBeLessThan(300e6);
  expect(turns).toBeGreaterThan(count);

  const text = reviewsText(reviews, { whole: false }).join("\n");
  expect(text).toContain(`… and ${count - 30} more, none with a graver finding`);
  const installed = reviews.map((review) => ({
    ...{ skill_id: review.skill_id, hash: review.hash, from: path, by: "ada", installed_at: 0, review },
  }));
  const card = installedText({ installed }, "installed", { whole: false });
  expect(card).toContain(`and ${count - 30} more are installed`);
  expect(card.length).toBeLessThan(8_000);
}, 300_000);
