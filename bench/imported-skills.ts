import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

const handler = `module.exports.runtime = {
  handler: async function ({ question }) {
    this.introspect(\`Looking \${question} up\`);
    return \`Nothing is known of \${question}\`;
  },
};
`;

/** Writes this many imported skills into a folder, three files each. */
export async function writeImportedSkills(folder: string, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const skill = path.join(folder, `imported-${at}`);
    await mkdir(skill, { recursive: true });
    await writeFile(path.join(skill, "plugin.json"), JSON.stringify(manifest(at), undefined, 2));
    await writeFile(path.join(skill, "handler.js"), handler);
    await writeFile(
      path.join(skill, "README.md"),
      `# Archive ${at}\n\nPut it into a folder and switch it on.\n`,
    );
  }
}

function manifest(at: number) {
  const question = { type: "string", description: "What is looked for: a name, a number or a few words" };
  return {
    active: true,
    hubId: `imported-${at}`,
    name: `Archive ${at}`,
    schema: "skill-1.0.0",
    version: "1.0.0",
    description: `Looks things up in the archive of department ${at} and answers what is written there`,
    author: "bench",
    setup_args: { ARCHIVE_URL: { type: "string", required: false, value: `https://archive-${at}.example` } },
    examples: [
      { prompt: `What does archive ${at} say of order 7?`, call: JSON.stringify({ question: "order 7" }) },
    ],
    entrypoint: { file: "handler.js", params: { question } },
    imported: true,
  };
}
