import { type CodeLanguage, type CodeMeans, codeLanguages } from "../../core/ports/work-means.ts";
import { accessTo } from "../../core/skill/network-grants.ts";
import type { CodeRunner } from "../../core/skill/programs.ts";
import type { Isolation } from "../isolation.ts";
import type { SandboxContext } from "../sandbox-context.ts";
import { pythonPackagesOfMachine } from "../skill-packages.ts";
import { programFor } from "./resolve-script.ts";
import { runToEnd } from "./script-runner.ts";
import { shownSkills } from "./skill-code.ts";

/** The interpreter of each language, and the file name of its text. */
const programs: Readonly<Record<CodeLanguage, { program: string; name: string }>> = {
  python: { program: "python3", name: "main.py" },
  javascript: { program: "node", name: "main.mjs" },
  bash: { program: "bash", name: "main.sh" },
};

/** Runs code of models: only in bubblewrap, whatever an operator allows skills. */
export function createCodeRunner(
  context: SandboxContext,
  { hosts, max_ms }: Pick<CodeMeans, "hosts" | "max_ms">,
): CodeRunner {
  const { isolation } = context;
  return {
    async means() {
      if (isolation.kind !== "bubblewrap") {
        const { problem, cure } = isolation.lacks;
        return { ok: false, reason: `${problem} ${cure}` };
      }
      const found = await Promise.all(
        codeLanguages.map(async (language) =>
          (await interpreter(language, isolation)).ok ? [language] : [],
        ),
      );
      const packages = await context.prepared.means();
      const of_machine = await toldOfMachine(packages.python ?? []);
      return { ok: true, languages: found.flat(), packages, of_machine, hosts, max_ms };
    },
    async run(request) {
      request.signal.throwIfAborted();
      if (isolation.kind !== "bubblewrap")
        return { status: "refused", reason: `Code runs with bubblewrap only. ${isolation.lacks.cure}` };
      const program = await interpreter(request.language, isolation);
      if (!program.ok) return { status: "refused", reason: program.reason };
      const code = {
        interpreter: program.value,
        entry: { name: programs[request.language].name, text: request.code },
        args: [],
        env: {},
        packages: await context.prepared.packagesFor(),
        shown: await shownSkills(request.skills ?? []),
        shipped: false,
      };
      const network = hosts.length === 0 ? {} : { network: accessTo(hosts, request.onHost) };
      return await runToEnd(code, { ...request, ...network, env: {}, stdin: "" }, context);
    },
  };
}

const worthTelling: readonly string[] = [
  ...["numpy", "pandas", "polars", "scipy", "sympy", "scikit-learn", "matplotlib", "seaborn", "pillow"],
  ...["openpyxl", "python-docx", "python-pptx", "pypdf", "reportlab", "lxml", "beautifulsoup4"],
];

/** The listed packages of the machine that no prepared set replaces. */
async function toldOfMachine(prepared: readonly string[]): Promise<string[]> {
  const there = await pythonPackagesOfMachine();
  return worthTelling.filter(
    (name) => there.has(name) && !prepared.some((text) => text.startsWith(`${name} `)),
  );
}

async function interpreter(language: CodeLanguage, isolation: Isolation) {
  return await programFor(programs[language].program, [], `Code in ${language}`, isolation);
}
