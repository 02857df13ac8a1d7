import { readFile } from "node:fs/promises";
import path from "node:path";
import type { OutputAsset, OutputChunk, Plugin } from "rolldown";

/** The name of the page in its bundle. */
export const pageName = "index.html";

/** A page with everything it loads. */
export interface PageBundle {
  /** Texts by file name; all names but that of the page contain a hash of the text. */
  files: ReadonlyMap<string, string>;
  /** The files it was made from, except those of packages. */
  sources: readonly string[];
}

/** Folders of `src`, and packages, whose modules browsers get. */
const folders = ["console", "client", "core", "base"];
const packages = ["lit-html", "marked", "dompurify", "eventsource-parser"];

/** How a page names a file next to it. */
const reference = /\b(src|href)="([\w-]+\.\w+)"/g;

const importRule = /@import url\("([\w-]+\.css)"\)(?: layer\((\w+)\))?;/g;

/**
 * Bundles a page that lies in a folder of `src`: each script with the modules it imports, each style sheet with the ones it imports. The page
 * of the bundle loads them from `/assets/`.
 * @throws when a file is not valid, or a script imports a module that browsers do not get
 */
export async function bundlePage(page: string): Promise<PageBundle> {
  // The bundler takes 100 MB of memory, and a build does not need it.
  const { rolldown } = await import("rolldown");
  const folder = path.dirname(page);
  const html = await readFile(page, "utf8");
  const parts = [...html.matchAll(reference)].map(([, , name = ""]) => path.join(folder, name));
  const isScript = (file: string) => file.endsWith(".ts");
  const bundler = await rolldown({
    input: parts.filter(isScript),
    platform: "browser",
    plugins: [onlyForBrowsers(path.dirname(folder)), withFiles(parts.filter((file) => !isScript(file)))],
  });
  try {
    const { output } = await bundler.generate({
      entryFileNames: "[name]-[hash].js",
      chunkFileNames: "[name]-[hash].js",
      assetFileNames: "[name]-[hash][extname]",
      minify: true,
      sourcemap: true,
    });
    const names = new Map(output.map((file) => [sourceOf(file), file.fileName]));
    const link = (_: string, attribute: string, name: string) =>
      `${attribute}="/assets/${names.get(path.join(folder, name))}"`;
    const linked = html.replace(reference, link);
    const sources = (await bundler.watchFiles).filter((file) => !file.includes("/node_modules/"));
    return {
      files: new Map([[pageName, linked], ...output.map((file) => [file.fileName, textOf(file)] as const)]),
      sources: [page, ...sources],
    };
  } finally {
    await bundler.close();
  }
}

function sourceOf(file: OutputChunk | OutputAsset): string | null | undefined {
  return file.type === "chunk" ? file.facadeModuleId : file.originalFileNames[0];
}

function textOf(file: OutputChunk | OutputAsset): string {
  return file.type === "chunk" ? file.code : String(file.source);
}

/** Refuses imports of modules that browsers do not get: Node's, those of other packages and of other folders of `src`. */
function onlyForBrowsers(source: string): Plugin {
  const allowed = [
    ...folders.map((name) => `${path.join(source, name)}/`),
    ...packages.map((name) => `/node_modules/${name}/`),
  ];
  return {
    name: "only-for-browsers",
    async resolveId(specifier, importer, options) {
      const found = await this.resolve(specifier, importer, options);
      if (found !== null && !found.external && allowed.some((each) => found.id.includes(each))) return found;
      throw new Error(
        `${importer} imports ${specifier}, which browsers do not get. Import from the folders ${folders.join(", ")} of src, or from the packages ${packages.join(", ")}.`,
      );
    },
  };
}

/** Adds style sheets and images. */
function withFiles(files: readonly string[]): Plugin {
  return {
    name: "with-files",
    async buildStart() {
      const read = (file: string) => {
        this.addWatchFile(file);
        return readFile(file, "utf8");
      };
      for (const file of files) {
        const source = await (file.endsWith(".css") ? readStyles(file, read) : read(file));
        this.emitFile({ type: "asset", name: path.basename(file), originalFileName: file, source });
      }
    },
  };
}

/** A style sheet with the ones it imports in place of its `@import` rules. */
async function readStyles(file: string, read: (file: string) => Promise<string>): Promise<string> {
  const written = await read(file);
  let styles = written;
  for (const [rule, name = "", layer] of written.matchAll(importRule)) {
    const imported = await read(path.join(path.dirname(file), name));
    styles = styles.replace(rule, () => (layer === undefined ? imported : `@layer ${layer} {\n${imported}}`));
  }
  return styles;
}
