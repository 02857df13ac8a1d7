import { LRUCache } from "lru-cache";
import type { Skill } from "../../core/skill/skill.ts";
import { findProgram } from "../run/programs.ts";
import { skillFolder } from "../run/resolve-script.ts";
import { askCode } from "../run/script-runner.ts";
import { codeOfSkill } from "../run/skill-code.ts";
import type { SandboxContext } from "../sandbox-context.ts";

/**
 * Run by the sandbox's Python over the skill's folder: prints the modules that its files import at the top, outside of `try`, and that are
 * neither Python's, nor installed, nor the skill's own. Reads the files, and runs none of them.
 */
const program = `
import ast, importlib.util, os, sys
own, wanted = set(), set()
for root, folders, files in os.walk(os.environ["KNACK_SKILL_DIR"]):
    folders[:] = [name for name in folders if not name.startswith(".") and name not in ("node_modules", "__pycache__")]
    own.update(folders)
    for name in files:
        if not name.endswith(".py"):
            continue
        own.add(name[:-3])
        try:
            with open(os.path.join(root, name), encoding="utf-8") as file:
                body = ast.parse(file.read(1_000_000)).body
        except (OSError, SyntaxError, ValueError, RecursionError):
            continue
        for node in body:
            if isinstance(node, ast.Import):
                wanted.update(alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                wanted.add(node.module.split(".")[0])
def lacks(name):
    try:
        return importlib.util.find_spec(name) is None
    except (ImportError, ValueError):
        return False
print("\\n".join(sorted(name for name in wanted - own if name not in sys.stdlib_module_names and lacks(name))[:50]))
`;

/** What files of a skill import from Python that nothing here provides; empty where that cannot be told. Asked once for each state. */
export function createMissingImports(
  context: SandboxContext,
  changes: () => Promise<string>,
): (skill: Skill) => Promise<readonly string[]> {
  const known = new LRUCache<string, Promise<readonly string[]>>({ max: 500 });
  return async (skill) => {
    if (context.isolation.kind !== "bubblewrap") return [];
    const paths = (await skill.files?.list())?.map(({ path }) => path) ?? [];
    if (!paths.some((path) => path.endsWith(".py"))) return [];
    const key = `${skill.id} ${skill.hash} ${await changes()}`;
    const found = known.get(key) ?? ask(skill, context);
    known.set(key, found);
    // On a busy machine the check may fail, so the next call repeats it.
    found.catch(() => known.delete(key));
    return await found.catch(() => []);
  };
}

/** @throws Error that it cannot be told now */
async function ask(skill: Skill, context: SandboxContext): Promise<readonly string[]> {
  const python = await findProgram("python3");
  const folder = await skillFolder(skill.origin.path);
  if (python === undefined || folder === undefined) return [];
  const own = await codeOfSkill(skill, context);
  const entry = { name: "imports.py", text: program };
  const code = { ...own, folder, interpreter: [python], entry, moduleFolders: [] };
  const printed = await askCode(code, 10_000, context);
  if (printed === undefined) throw new Error("The imports could not be read");
  return printed.split("\n").filter((name) => /^\w+$/.test(name));
}
