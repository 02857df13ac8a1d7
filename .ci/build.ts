/**
 * Builds the bot for `npm start` in a few chunks; each program or thread that is started per task, and the console, in its
 * own folder. `node .ci/build.ts` prints the program to run. A build is named by a hash of its sources, so a stale one never
 * runs. If the build fails, the sources run. Tests also start built programs and threads, and serve the built console
 * (`builtEntries`).
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, parse, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Plugin } from "rolldown";
import type { VitestPluginContext } from "vitest/node";
import { bundlePage, pageName } from "../src/server/bundle-page.ts";

/** The input of a build: its sources, and the entries that they start. Paths from the repository's folder. */
interface Inputs {
  sources: readonly string[];
  entries: readonly string[];
}

const repository = resolve(import.meta.dirname, "..");
const program = "src/cli.ts";

/** The code that builds. A change of it changes every build. */
const ownCode = [
  import.meta.filename,
  fileURLToPath(new URL("../src/server/bundle-page.ts", import.meta.url)),
];

/** Newest builds of an entry that are kept: a running bot loads parts of its own when they are needed. */
const maxBuilds = 5;

/** How sources name what starts in a thread or process of its own, and a page for browsers. */
const entryAddress = /new URL\("(\.{1,2}\/[\w./-]+\.(?:ts|html))", import\.meta\.url\)/g;
const ownAddress = new RegExp(`${entryAddress.source}|import\\.meta\\.(?:url|dirname)\\b`, "g");

/**
 * Modules that are loaded together, by where their imports begin: before compiled code is looked for; for every command; for commands
 * that ask a bot; by an idle bot. What `import()` names has a chunk of its own.
 */
const chunks = [
  { name: "beginning", test: /\/src\/(?:config\/environment|models\/local-servers)\.ts$/, priority: 3 },
  { name: "command-line", test: /\/src\/cli\/run-command-line\.ts$/, priority: 2 },
  { name: "connection", test: /\/src\/cli\/bot-connection\.ts$/, priority: 1 },
  { name: "bot", test: /\/src\/(?:main|cli\/start|sandbox\/create-sandbox)\.ts$/, priority: 0 },
];

/** Makes and finds the builds of a repository. */
export class Builder {
  readonly #root: string;
  readonly #folder: string;
  readonly #bundlesHere: boolean;
  readonly #found = new Map<string, Promise<string>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(root = repository, { bundlesHere = false } = {}) {
    this.#root = root;
    this.#folder = join(root, ".build");
    this.#bundlesHere = bundlesHere;
  }

  /** The file of an entry's build, which is made unless there is one of these sources. @throws when it cannot be made */
  build(entry: string): Promise<string> {
    const file = this.#found.get(entry) ?? this.#findOrMake(entry);
    this.#found.set(entry, file);
    return file;
  }

  async #findOrMake(entry: string): Promise<string> {
    const before = await this.#find(entry);
    if (before !== undefined) return before;
    if (entry === program) console.error("Building Knack, once after an install or a change …");
    await (this.#bundlesHere ? this.make(entry) : this.#makeApart(entry));
    const after = await this.#find(entry);
    if (after === undefined) throw new Error(`the sources of ${entry} changed meanwhile`);
    return after;
  }

  /** Bundles an entry, and what it starts, in a process of its own, because a bundler takes a gigabyte; one after the other. */
  async #makeApart(entry: string): Promise<void> {
    const made = this.#last.then(() =>
      promisify(execFile)(process.execPath, [import.meta.filename, entry, this.#root]),
    );
    this.#last = made.catch(() => undefined);
    await made;
  }

  async #find(entry: string): Promise<string | undefined> {
    const list = this.#listOf(entry);
    const file = existsSync(list)
      ? await this.#placeOf(entry, JSON.parse(readFileSync(list, "utf8")))
      : undefined;
    return file !== undefined && existsSync(file) ? file : undefined;
  }

  /** Bundles an entry in this process. */
  async make(entry: string): Promise<void> {
    if (entry === program) await this.#makeEntries();
    const staging = join(this.#folder, `.${nameOf(entry)}-${process.pid}`);
    mkdirSync(staging, { recursive: true });
    try {
      const inputs = await (isPage(entry) ? this.#bundlePage(entry, staging) : this.#bundle(entry, staging));
      const file = await this.#placeOf(entry, inputs);
      if (file !== undefined && !existsSync(file)) renameSync(staging, dirname(file));
      writeFileSync(`${staging}.json`, JSON.stringify(inputs));
      renameSync(`${staging}.json`, this.#listOf(entry));
      this.#removeOld(nameOf(entry));
    } finally {
      rmSync(staging, { recursive: true, force: true });
    }
  }

  /** Where the build of these inputs belongs; undefined when one of them is gone. */
  async #placeOf(entry: string, { sources, entries }: Inputs): Promise<string | undefined> {
    const hash = createHash("sha256");
    for (const each of ownCode) hash.update(readFileSync(each));
    for (const each of ["package-lock.json", ...sources]) {
      if (!existsSync(join(this.#root, each))) return undefined;
      hash.update(`\n${each}\n`).update(readFileSync(join(this.#root, each)));
    }
    for (const each of entries) hash.update(relative(this.#folder, await this.build(each)));
    if (entry === program) hash.update(this.#skillModules().join());
    const name = nameOf(entry);
    const file = isPage(entry) ? pageName : `${name}.mjs`;
    return join(this.#folder, `${name}-${hash.digest("hex").slice(0, 16)}`, file);
  }

  /** Makes what any source starts, one after the other: while they bundle the program, all of them would be made at once. */
  async #makeEntries(): Promise<void> {
    const files = ["src", "skills"].flatMap((folder) =>
      readdirSync(join(this.#root, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .map((file) => join(this.#root, folder, file)),
    );
    for (const file of files) await this.entriesIn(readFileSync(file, "utf8"), file);
  }

  async #bundle(entry: string, output: string): Promise<Inputs> {
    const { rolldown } = await import("rolldown");
    const inputs = { sources: new Set<string>(), entries: new Set<string>() };
    const bundled = await rolldown({
      input: { [nameOf(entry)]: join(this.#root, entry) },
      platform: "node",
      plugins: [this.#placed(inputs), this.#shippedModules(), ...withoutUnusedParts, asciiText],
      preserveEntrySignatures: false,
      // pdfmake's CommonJS asks for it.
      transform: { define: { __dirname: "import.meta.dirname" } },
      // Only sources bundle their pages.
      external: ["rolldown"],
      // Optional packages that are not installed stay imports.
      logLevel: "silent",
    });
    await bundled.write({
      dir: output,
      entryFileNames: "[name].mjs",
      chunkFileNames: "[name].mjs",
      sourcemap: true,
      sourcemapExcludeSources: true,
      comments: false,
      codeSplitting: { groups: chunks },
    });
    return { sources: [...inputs.sources].sort(), entries: [...inputs.entries].sort() };
  }

  async #bundlePage(entry: string, output: string): Promise<Inputs> {
    const { files, sources } = await bundlePage(join(this.#root, entry));
    for (const [name, text] of files) writeFileSync(join(output, name), text);
    return { sources: sources.map((file) => relative(this.#root, file)).sort(), entries: [] };
  }

  /** Sources find their files where these lie, and entries where they are built: each in a folder beside the others. */
  #placed({ sources, entries }: { sources: Set<string>; entries: Set<string> }): Plugin {
    return {
      name: "placed",
      transform: {
        filter: { id: { exclude: /\/node_modules\// } },
        handler: async (code, id) => {
          if (!id.startsWith(`${this.#root}/`)) return null;
          sources.add(relative(this.#root, id));
          const built = await this.entriesIn(code, id);
          for (const { entry } of built.values()) entries.add(entry);
          const source = `../../${relative(this.#root, id)}`;
          const written = code.replace(ownAddress, (address) => {
            const file = built.get(address)?.file;
            if (file !== undefined) return `new URL("../${relative(this.#folder, file)}", import.meta.url)`;
            if (address === "import.meta.url") return `new URL("${source}", import.meta.url).href`;
            return `process.getBuiltinModule("node:path").resolve(import.meta.dirname, "${dirname(source)}")`;
          });
          return { code: written, map: null };
        },
      },
    };
  }

  /** The entries that code starts, by how it names them. */
  async entriesIn(code: string, id: string): Promise<Map<string, { entry: string; file: string }>> {
    const entries = new Map<string, { entry: string; file: string }>();
    for (const [address, path = ""] of code.matchAll(entryAddress)) {
      const entry = relative(this.#root, resolve(dirname(id), path));
      entries.set(address, { entry, file: await this.build(entry) });
    }
    return entries;
  }

  /** The code of shipped skills is part of the bot; its sources import it by the folder's address. */
  #shippedModules(): Plugin {
    return {
      name: "shipped-modules",
      load: {
        filter: { id: /\/src\/skills\/import-module\.ts$/ },
        handler: (id) => {
          if (id !== join(this.#root, "src/skills/import-module.ts")) return null;
          const modules = this.#skillModules();
          const imports = modules.map(
            (file, at) => `import * as skill${at} from ${JSON.stringify(join(this.#root, file))};`,
          );
          const table = modules.map((file, at) => `${JSON.stringify(basename(dirname(file)))}: skill${at}`);
          return `${imports.join("\n")}
const modules = { ${table.join()} };
export const moduleName = "skill.ts";
export async function importModule(folder) {
  const module = modules[folder.slice(folder.lastIndexOf("/") + 1)];
  if (module === undefined) throw new Error("it was added after the bot started. Restart the bot");
  return module;
}`;
        },
      },
    };
  }

  #skillModules(): string[] {
    const modules = readdirSync(join(this.#root, "skills")).map((name) => `skills/${name}/skill.ts`);
    return modules.filter((file) => existsSync(join(this.#root, file))).sort();
  }

  #listOf(entry: string): string {
    return join(this.#folder, `${nameOf(entry)}.json`);
  }

  #removeOld(name: string): void {
    const builds = readdirSync(this.#folder).filter(
      (each) => each.replace(/-[0-9a-f]{16}$/, "") === name && each !== name,
    );
    const ages = builds.map((each) => ({
      path: join(this.#folder, each),
      made: statSync(join(this.#folder, each)).mtimeMs,
    }));
    for (const { path } of ages.sort((one, other) => other.made - one.made).slice(maxBuilds))
      rmSync(path, { recursive: true, force: true });
  }
}

/** For vitest: programs and threads that tests start, and the console they open, are built ones, which begin sooner. */
export function builtEntries() {
  const builder = new Builder();
  const startsEntries = (code: string, id: string) =>
    /^(?:src|skills)\//.test(relative(repository, id)) && code.search(entryAddress) >= 0;
  return {
    name: "built-entries",
    enforce: "pre" as const,
    // What a test starts is looked for in each run: its sources may have changed while the file that starts it has not.
    configureVitest({ defineCacheKeyGenerator }: VitestPluginContext) {
      defineCacheKeyGenerator(({ id, sourceCode }) => (startsEntries(sourceCode, id) ? false : undefined));
    },
    async transform(code: string, id: string) {
      if (!startsEntries(code, id)) return null;
      let written = code;
      for (const [address, { file }] of await builder.entriesIn(code, id))
        written = written.replace(address, () => `new URL(${JSON.stringify(pathToFileURL(file).href)})`);
      return { code: written, map: null };
    },
  };
}

function nameOf(entry: string): string {
  return parse(entry).name;
}

function isPage(entry: string): boolean {
  return entry.endsWith(".html");
}

/**
 * Parts of packages that are loaded with them and never used: error messages of Zod in 50 languages (300 kB;
 * Knack uses English), and the YAML parser of gray-matter (300 kB; Knack passes its own).
 */
const unusedParts = {
  "**/zod/v4/locales/index.js": 'export { default as en } from "./en.js";',
  "**/js-yaml/index.js":
    'const unused = () => { throw new Error("left out"); }; module.exports = { safeLoad: unused, safeDump: unused };',
};

const withoutUnusedParts = Object.entries(unusedParts).map(
  ([part, code]): Plugin => ({
    name: "without-unused-parts",
    load: { filter: { id: part }, handler: () => code },
  }),
);

/** Node reads ASCII faster than UTF-8 and keeps it with one byte per character, not two. The printer would undo this at an earlier step. */
const asciiText: Plugin = {
  name: "ascii-text",
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle))
      if (chunk.type === "chunk")
        chunk.code = chunk.code.replace(
          /[^\0-\x7f]/g,
          (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
  },
};

/** The built program, or its source with a message if there is no build. */
export async function programToRun(root = repository): Promise<{ file: string; problem?: string }> {
  try {
    return { file: await new Builder(root).build(program) };
  } catch (error) {
    const reason =
      error instanceof Error
        ? ((error as { stderr?: string }).stderr || error.message).trim()
        : String(error);
    const problem = `Knack cannot be built here and runs from its sources, which takes longer and needs more memory (${reason}). Run \`node .ci/build.ts\` in ${root} as a user who may write there.`;
    return { file: join(root, program), problem };
  }
}

if (import.meta.main) {
  const [entry, root] = process.argv.slice(2);
  if (entry !== undefined) {
    await new Builder(root, { bundlesHere: true }).make(entry).catch((error: Error) => {
      console.error(error.message);
      process.exitCode = 1;
    });
  } else {
    const { file, problem } = await programToRun();
    if (problem !== undefined) console.error(problem);
    console.log(file);
  }
}
