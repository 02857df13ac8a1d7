import { z } from "zod";
import { escapeMarkdown, few, oneLine } from "../../../base/markdown-text.ts";
import {
  languageNames,
  type PreparedSet,
  packageLanguages,
  preparation,
  preparedState,
} from "../../../core/skill/packages.ts";
import { skillId } from "../../services/shapes.ts";
import { auditNote, operation, operators, said } from "../operation.ts";
import { findSkill, skillOption, whichSkill } from "../skills/find-skill.ts";

const who = operators("prepare packages for code");
const language = z.enum(packageLanguages);
const packages = z
  .array(
    z
      .string()
      .max(400)
      .regex(/^[@\w]\S*$/, "expected a package, such as numpy==2.1.0 or docx@9"),
  )
  .max(200);
const answers = "the state afterwards, or that the work continues";

/** Installing takes minutes: the command shows progress and waits for the end. */
const follow = {
  operation: "sandbox.list",
  goesOn: ({ state }: z.output<typeof preparation>) => state === "working",
  look(output: unknown) {
    const { working, last } = preparedState.parse(output);
    if (working !== undefined) return { line: working.line };
    const ended = { state: "done" as const, message: last?.message ?? "It is over." };
    return { ended, failed: last?.ok === false };
  },
};

const text = ({ message }: z.output<typeof preparation>) => escapeMarkdown(oneLine(message, 1_000));

export const listSandboxPackages = operation({
  name: "sandbox.list",
  input: z.object({}),
  output: preparedState,
  who,
  http: {
    route: "GET /sandbox/packages",
    summary: "Packages that are prepared for code in the sandbox",
    answers: "the sets, and what is being prepared",
  },
  commandLine: { command: "sandbox list" },
  text({ sets, working, last }) {
    const none = "No packages are prepared. Add some: knack sandbox add python numpy";
    const now = working === undefined ? [] : [`Being prepared: ${escapeMarkdown(working.what)}`];
    const failed = last === undefined || last.ok ? [] : [escapeMarkdown(`${last.what}: ${last.message}`)];
    return [...(sets.length === 0 ? [none] : sets.flatMap(setLines)), ...now, ...failed].join("\n");
  },
  run: async ({ services }) => ({ ok: true, value: await services.prepared.list() }),
});

export const addSandboxPackages = operation({
  name: "sandbox.add",
  input: z.object({
    language,
    packages: packages.describe(
      "an empty list installs the present packages again, in the newest matching versions",
    ),
  }),
  output: preparation,
  who,
  http: {
    route: "POST /sandbox/packages",
    summary: "Install packages for all code in the sandbox",
    answers,
  },
  commandLine: {
    command: "sandbox add <language> [package...]",
    read: ({ language, package: packages }) => ({ language, packages: packages ?? [] }),
    follow,
  },
  text,
  run: async ({ input, asker, services }) =>
    await services.prepared.add(input.language, input.packages, asker.by.id),
  audit: (_, { input }) => note("sandbox_packages_added", input, "prepared"),
});

export const removeSandboxPackages = operation({
  name: "sandbox.remove",
  input: z.object({ language, packages: packages.min(1) }),
  output: preparation,
  who,
  http: {
    route: "POST /sandbox/packages/remove",
    summary: "Remove packages from code in the sandbox",
    answers,
  },
  commandLine: {
    command: "sandbox remove <language> <package...>",
    read: ({ language, package: packages }) => ({ language, packages }),
    follow,
  },
  text,
  run: async ({ input, asker, services }) =>
    await services.prepared.remove(input.language, input.packages, asker.by.id),
  audit: (_, { input }) => note("sandbox_packages_removed", input, "took away"),
});

export const prepareSkill = operation({
  name: "sandbox.prepare",
  input: z.object({ id: skillId }),
  output: preparation,
  who,
  http: {
    route: "POST /skills/{id}/prepare",
    summary: "Install the packages that a skill lists, for its code alone",
    answers,
  },
  chat: {
    command: "skill prepare",
    description: "Installs the packages that a skill lists, for its code alone",
    options: [skillOption],
    read: (words) => (words === "" ? undefined : { id: words }),
    missing: whichSkill,
    say: (output) => said(text(output)),
  },
  commandLine: { command: "sandbox prepare <id>", follow },
  text,
  async run({ input, asker, services }) {
    const skill = await findSkill(input.id, services);
    if (!skill.ok) return skill;
    const { parent } = skill.value;
    const root = parent === undefined ? skill : await findSkill(parent, services);
    return root.ok ? await services.prepared.prepare(root.value, asker.by.id) : root;
  },
  audit: (_, { input }) =>
    auditNote(
      "skill_packages_prepared",
      input.id,
      `prepared the packages of **${escapeMarkdown(oneLine(input.id, 200))}**`,
    ),
});

function note(
  action: string,
  { language, packages }: { language: (typeof packageLanguages)[number]; packages: readonly string[] },
  did: string,
) {
  const what =
    packages.length === 0 ? "all packages anew" : escapeMarkdown(oneLine(packages.join(", "), 300));
  return { action, subject: language, detail: `${did} ${what} for code in ${languageNames[language]}` };
}

/** Maximum dependencies that are listed. */
const maxListed = 30;

function setLines(set: PreparedSet): string[] {
  const whose = set.skill === undefined ? "all code" : `the skill ${set.skill}`;
  const size = `${Math.max(1, Math.round(set.bytes / 1_000_000))} MB`;
  const names = set.packages.map(({ name, version }) => `${name} ${version}`);
  const about = escapeMarkdown(`${set.runtime} for ${whose} (${size}; asked for: ${set.asked.join(", ")})`);
  return [
    `- **${languageNames[set.language]}** ${about}: ${escapeMarkdown(few(names, maxListed))}`,
    ...(set.problem === undefined ? [] : [`  **${escapeMarkdown(set.problem)}**`]),
  ];
}
