import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

const subjects = ["invoices", "meeting notes", "release notes", "survey answers", "contracts", "bug reports"];
const verbs = ["Summarises", "Translates", "Checks", "Compares", "Sorts", "Rewrites", "Files"];
const purposes = [
  "for people who were not there",
  "so that they follow the house style and nothing that matters is left out",
  "and lists what is missing, with the place where it should stand and who could know",
  "into a table that can be pasted into a spreadsheet",
];
const guide = "Read the material first. Work through it step by step, and say what you left out.\n".repeat(
  12,
);

/** Writes this many document skills into a folder, three files each, with descriptions of 80 to 200 characters. */
export async function writeDocumentSkills(folder: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const skill = path.join(folder, `document-${at}`);
    await mkdir(path.join(skill, "scripts"), { recursive: true });
    const document = `---\nname: document-${at}\ndescription: ${describe(at)}\n---\n# Document ${at}\n\n${guide}`;
    await writeFile(path.join(skill, "SKILL.md"), document);
    await writeFile(path.join(skill, "reference.md"), `Terms of collection ${at}.\n\n${guide}`);
    await writeFile(path.join(skill, "scripts", "collect.py"), `print("collection ${at}")\n`);
  }
}

function describe(at: number): string {
  const [verb, subject] = [verbs[at % verbs.length], subjects[at % subjects.length]];
  const purpose = purposes[at % purposes.length];
  return `${verb} ${subject} of department ${at} ${purpose}. Use it when somebody mentions collection ${at}`;
}
