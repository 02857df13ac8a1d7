import { addCommand, type PackageLanguage } from "../skill/packages.ts";

/** How Python and Node say that a module is missing. */
const said: readonly { language: PackageLanguage; pattern: RegExp }[] = [
  { language: "python", pattern: /^ModuleNotFoundError: No module named '([A-Za-z_]\w*)/gm },
  { language: "node", pattern: /Cannot find (?:module|package) '((?:@[\w.-]+\/)?[A-Za-z][\w.-]*)/g },
];

/** What an operator can do about modules that code said it lacks, for the person; undefined if it said nothing of the kind. */
export function missingModuleHint(printed: string): string | undefined {
  const commands = said.flatMap(({ language, pattern }) => {
    const names = new Set([...printed.matchAll(pattern)].map(([, name = ""]) => name));
    return names.size === 0 ? [] : [addCommand(language, [...names])];
  });
  if (commands.length === 0) return undefined;
  return `The sandbox has no network to install it: go on without it, or tell the person that an operator can run ${commands.map((command) => `\`${command}\``).join(" and ")}.`;
}
