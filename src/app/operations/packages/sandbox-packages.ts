import { z } from "zod";
import { escapeMarkdown, oneLine } from "../../../base/markdown-text.ts";
import {
  languageNames,
  type PreparedSet,
  packageLanguages,
  preparation,
  preparedState,
} from "../../../core/skill/packages.ts";
import { skillId } from "../../services/shapes.ts";
import { type CommandLineForm, operation, operators, said, type Terminal } from "../operation.ts";
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

type Form<Input> = CommandLineForm<Input, z.output<typeof preparation>>;

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

const print: Form<unknown>["print"] = ({ message }, { plain }) => [plain(message)];

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
  commandLine: [
    {
      command: "sandbox list",
      print({ sets, working, last }, terminal) {
        const now = working === undefined ? [] : [`Being prepared: ${terminal.plain(working.what)}`];
        const failed =
          last === undefined || last.ok
            ? []
            : [`${terminal.plain(last.what)}: ${terminal.plain(last.message)}`];
        const none =
          sets.length === 0 ? ["No packages are prepared. Add some: knack sandbox add python numpy"] : [];
        return [...none, ...sets.flatMap((set) => setLines(set, terminal)), ...now, ...failed];
      },
    },
  ],
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
  commandLine: [
    {
      command: "sandbox add <language> [package...]",
      read: ({ language, package: packages }) => ({ language, packages: packages ?? [] }),
      follow,
      print,
    },
  ],
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
  commandLine: [
    {
      command: "sandbox remove <language> <package...>",
      read: ({ language, package: packages }) => ({ language, packages }),
      follow,
      print,
    },
  ],
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
  chat: [
    {
      command: "skill prepare",
      description: "Installs the packages that a skill lists, for its code alone",
      options: [skillOption],
      read: (words) => (words === "" ? undefined : { id: words }),
      missing: whichSkill,
      say: ({ message }) => said(escapeMarkdown(oneLine(message, 1_000))),
    },
  ],
  commandLine: [
    {
      command: "sandbox prepare <id>",
      follow,
      print,
    },
  ],
  async run({ input, asker, services }) {
    const skill = await findSkill(input.id, services);
    if (!skill.ok) return skill;
    const { parent } = skill.value;
    const root = parent === undefined ? skill : await findSkill(parent, services);
    return root.ok ? await services.prepared.prepare(root.value, asker.by.id) : root;
  },
  audit: (_, { input }) => ({
    action: "skill_packages_prepared",
    subject: input.id,
    detail: `prepared the packages of **${escapeMarkdown(oneLine(input.id, 200))}**`,
  }),
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

function setLines(set: PreparedSet, { plain, bold, dim, warn }: Terminal): string[] {
  const whose = set.skill === undefined ? "all code" : `the skill ${set.skill}`;
  const size = `${Math.max(1, Math.round(set.bytes / 1_000_000))} MB`;
  const listed = set.packages.slice(0, maxListed).map(({ name, version }) => `${name} ${version}`);
  const more = set.packages.length - listed.length;
  return [
    `${bold(`${languageNames[set.language]} ${plain(set.runtime)}`)} for ${plain(whose)} ${dim(`(${size}; asked for: ${plain(set.asked.join(", "))})`)}`,
    `  ${plain([...listed, ...(more > 0 ? [`${more} more`] : [])].join(", "))}`,
    ...(set.problem === undefined ? [] : [`  ${warn(plain(set.problem))}`]),
  ];
}
