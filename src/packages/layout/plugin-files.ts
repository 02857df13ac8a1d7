import { isWithin, type ListedPackage, parentOf, pathIn, type ShownFile } from "../fetch/listed-package.ts";

/** What the guide of a skill calls by its place in the plugin. */
interface PluginFiles {
  files: ShownFile[];
  /** Places that it calls, at which there is nothing. */
  missing: string[];
}

/** The folder of the skill, in which files of its plugin have the places they have in the plugin. */
const calls = /\$(?:KNACK_SKILL_DIR|\{KNACK_SKILL_DIR\})((?:\/[\w.-]*\w)+)/g;

/**
 * The files of a plugin that the guide of one of its skills calls, with those beside them: programs read their neighbours. `own`: the paths
 * of the skill's files, which win.
 */
export function pluginFiles(
  guide: string,
  { plugin, own }: { plugin: string; own: readonly string[] },
  listed: ListedPackage,
): PluginFiles {
  const at = (path: string) => listed.files([plugin, path].filter(Boolean).join("/"));
  const called = new Set([...guide.matchAll(calls)].map(([, path = ""]) => path.slice(1)));
  const absent = [...called].filter((path) => !own.some((each) => isWithin(each, path)));
  const missing = absent.filter((path) => at(path).length === 0);
  const found = absent
    .filter((path) => !missing.includes(path))
    .flatMap((path) => [...at(path), ...(parentOf(path) === "" ? [] : at(parentOf(path)))])
    .map((file) => ({ ...file, path: pathIn(plugin, file.path) }))
    .filter(({ path }) => !own.includes(path));
  return { files: [...new Map(found.map((file) => [file.path, file])).values()], missing };
}
