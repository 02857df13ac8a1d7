/**
 * Modules for browsers without a build: TypeScript with its types blanked out, and packages by an import map.
 */
import { createHash } from "node:crypto";
import { findPackageJSON, stripTypeScriptTypes } from "node:module";
import path from "node:path";

/** Packages a browser module may import, and the files of each a browser may have. */
const packages = [
  { name: "lit-html", entry: "lit-html.js", files: /^(directives\/)?[a-z-]+\.js$/ },
  { name: "marked", entry: "lib/marked.esm.js", files: /^lib\/marked\.esm\.js$/ },
  { name: "dompurify", entry: "dist/purify.es.mjs", files: /^dist\/purify\.es\.mjs$/ },
  { name: "eventsource-parser", entry: "dist/index.js", files: /^dist\/index\.js$/ },
] as const;

/** The import map as an inline script element, and its hash for the content security policy. */
export function createImportMap(): { element: string; hash: string } {
  const entries = packages.flatMap(({ name, entry }) => [
    [name, `/assets/vendor/${name}/${entry}`],
    [`${name}/`, `/assets/vendor/${name}/`],
  ]);
  const json = JSON.stringify({ imports: Object.fromEntries(entries) });
  return {
    element: `<script type="importmap">${json}</script>`,
    hash: `sha256-${createHash("sha256").update(json).digest("base64")}`,
  };
}

/** The file of a package, by `name/path`; undefined when it is not for browsers. */
export function packageFile(request: string): string | undefined {
  const found = packages.find(({ name }) => request.startsWith(`${name}/`));
  if (found === undefined) return undefined;
  const file = request.slice(found.name.length + 1);
  const manifest = found.files.test(file) ? findPackageJSON(found.name, import.meta.url) : undefined;
  return manifest === undefined ? undefined : path.join(path.dirname(manifest), file);
}

/** A TypeScript module as JavaScript; every statement keeps its line and column. @throws SyntaxError */
export function stripTypes(source: string): string {
  return silently(() => stripTypeScriptTypes(source));
}

/**
 * Whether stripped JavaScript imports only what a browser can load: modules by relative path and packages of the import map, but nothing of
 * Node.
 */
export function isForBrowsers(javascript: string): boolean {
  return importsOf(javascript).every(
    (specifier) =>
      /^\.\.?\//.test(specifier) || packages.some(({ name }) => specifier.split("/")[0] === name),
  );
}

/** The module names a module imports or exports from, at the beginning of a line, or with a constant `import()`. */
export function importsOf(javascript: string): string[] {
  const forms = [
    /^\s*import\s*(?:[\w$*{][^"'`;]*?\bfrom\s*)?["']([^"'\n]+)["']/gm,
    /^\s*export\s*(?:\*(?:\s*as\s+[\w$]+)?|\{[^}]*\})\s*from\s*["']([^"'\n]+)["']/gm,
    /\bimport\(\s*["']([^"'\n]+)["']\s*\)/g,
  ];
  return forms.flatMap((form) => [...javascript.matchAll(form)].flatMap(([, specifier]) => specifier ?? []));
}

/** Suppresses the warning that type stripping is experimental, which Node emits once per process. */
function silently<T>(work: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
