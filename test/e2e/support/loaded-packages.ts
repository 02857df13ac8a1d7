import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Records which packages a process of Node loads, built or not. `folder` takes the list; one recorder has one folder. */
export function recordPackages(folder: string) {
  const list = join(folder, "loaded.txt");
  const hook = `import { registerHooks } from "node:module";
import { appendFileSync } from "node:fs";
registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + "\\n"); return next(url, context); } });`;
  return {
    /** The environment of the process. */
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` },
    /** Names of the packages, sorted. */
    packages(): string[] {
      const files = readFileSync(list, "utf8")
        .split("\n")
        .filter((url) => url.startsWith("file:"))
        .map((url) => new URL(url).pathname);
      const names = files
        .flatMap(sourcesOf)
        .flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
      return [...new Set(names)].sort();
    },
  };
}

/** The sources that a built file was made from; a file that was not built is its own. */
function sourcesOf(file: string): string[] {
  if (!existsSync(`${file}.map`)) return [file];
  const { sources } = JSON.parse(readFileSync(`${file}.map`, "utf8")) as { sources: string[] };
  return sources.map((source) => resolve(dirname(file), source));
}
