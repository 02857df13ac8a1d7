/**
 * `npm run models:refresh`: makes `models.json` from the latest release of its source package, and prints the changes. Facts that
 * the package lacks are in `hand-kept.ts`.
 */

import { execFile } from "node:child_process";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { errorText } from "../src/base/error-text.ts";
import {
  type Catalogue,
  type CatalogueModel,
  type CatalogueModels,
  catalogueSchema,
  listedServers,
} from "../src/models/catalogue/catalogue-format.ts";
import { CatalogueSourceError, readSource, sourcePackage } from "./models-source.ts";

/**
 * Writes the catalogue of an unpacked package. Keeps the old file when the package cannot be read.
 * @param today `2026-11-23`
 * @returns the changes for people, one per line
 * @throws CatalogueSourceError
 */
export async function refreshCatalogue(folder: string, file: string, today: string): Promise<string[]> {
  const before = await readOld(file);
  const { catalogue, broken } = await readSource(folder, today);
  const partial = `${file}.new`;
  await writeFile(partial, catalogueText(catalogueSchema.parse(catalogue)));
  await rename(partial, file);
  const count = listedServers.reduce((sum, server) => sum + names(catalogue.models[server]).length, 0);
  return [
    `${count} models of ${catalogue.source}`,
    ...broken.map((problem) => `left out: ${problem}`),
    ...changes(before, catalogue),
  ];
}

async function readOld(file: string): Promise<Catalogue | undefined> {
  try {
    return catalogueSchema.safeParse(JSON.parse(await readFile(file, "utf8"))).data;
  } catch {
    // The file is missing or broken, so every model counts as added.
    return undefined;
  }
}

/** One model per line, so that differences are readable. */
function catalogueText({ models, ...head }: Catalogue): string {
  const servers = listedServers.map((server) => {
    const lines = Object.entries(models[server]).map(
      ([name, model]) => `      ${JSON.stringify(name)}: ${JSON.stringify(model)}`,
    );
    return `    ${JSON.stringify(server)}: {\n${lines.join(",\n")}\n    }`;
  });
  const tops = Object.entries(head).map(
    ([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},\n`,
  );
  return `{\n${tops.join("")}  "models": {\n${servers.join(",\n")}\n  }\n}\n`;
}

function changes(before: Catalogue | undefined, after: Catalogue): string[] {
  return listedServers.flatMap((server) => {
    const old = before?.models[server] ?? {};
    const now = after.models[server];
    const both = names(now).filter((name) => Object.hasOwn(old, name));
    return [
      ...names(now).flatMap((name) => (Object.hasOwn(old, name) ? [] : [`added: ${server}/${name}`])),
      ...names(old).flatMap((name) => (Object.hasOwn(now, name) ? [] : [`removed: ${server}/${name}`])),
      ...both.flatMap((name) => difference(`${server}/${name}`, old[name], now[name])),
    ];
  });
}

function difference(
  name: string,
  old: CatalogueModel | undefined,
  now: CatalogueModel | undefined,
): string[] {
  const { price: oldPrice, ...oldFacts } = old ?? {};
  const { price, ...facts } = now ?? {};
  return [...compared(`price of ${name}`, oldPrice, price), ...compared(`changed: ${name}`, oldFacts, facts)];
}

function compared(what: string, old: unknown, now: unknown): string[] {
  const [was, is] = [old, now].map((value) => JSON.stringify(value) ?? "unknown");
  return was === is ? [] : [`${what}: ${was} -> ${is}`];
}

function names(models: CatalogueModels): string[] {
  return Object.keys(models);
}

/** Downloads the latest release with npm, which verifies it, and unpacks it. */
async function unpackLatest(folder: string): Promise<string> {
  const run = promisify(execFile);
  const archive = `${sourcePackage}@latest`;
  const { stdout } = await run("npm", ["pack", archive, "--json", "--pack-destination", folder]);
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  if (packed === undefined) throw new CatalogueSourceError(`npm packed nothing of ${archive}`);
  const { x: extract } = await import("tar");
  await extract({
    file: path.join(folder, path.basename(packed.filename)),
    cwd: folder,
    filter: (entry) => /^package\/(?:package\.json|dist\/providers\/data\/[a-z-]+\.json)$/.test(entry),
  });
  return path.join(folder, "package");
}

async function main(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "knack-models-"));
  try {
    const file = fileURLToPath(new URL("../src/models/catalogue/models.json", import.meta.url));
    const today = new Date().toISOString().slice(0, 10);
    const lines = await refreshCatalogue(await unpackLatest(folder), file, today);
    process.stdout.write(`${lines.join("\n")}\n`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`${errorText(error)}\nmodels.json is unchanged.\n`);
    process.exitCode = 1;
  }
}
