// Installs missing packages, so that each command of package.json works on a fresh clone, in any order. With `--production`,
// installs only the packages the bot needs; otherwise also those for tests and checks. Runs on any Node >= 18. If the
// machine's Node is older than Knack requires, a package of the lock file provides one; otherwise that package is omitted,
// which saves 120 MB. Changes only node_modules, and existing packages only after all new ones have been fetched.
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { join, sep } from "node:path";

const requiredNode = 24;
const folder = "node_modules";
const packageList = ".package-lock.json";
const stagingPrefix = ".installing-";
let ownLibc;

const manifest = readJson("package.json");
const lock = readJson("package-lock.json");
const nodePackages = Object.keys(manifest.optionalDependencies).map((name) => `${folder}/${name}`);
const nodePackage = nodePackages.find((path) => fitsHere(lock.packages[path]));

// npm puts node_modules/.bin first on the PATH. A Node in the folder was installed by an earlier command and is needed.
const isBrought = fs.existsSync(folder) && process.execPath.startsWith(fs.realpathSync(folder) + sep);
const needsNode = isBrought || Number.parseInt(process.versions.node, 10) < requiredNode;

// A bot started between two test runs must not remove packages that the tests need.
const hasTools = Object.keys(packagesIn(folder)).some((path) => lock.packages[path]?.dev);
const withTools = hasTools || !process.argv.includes("--production");

try {
  removeLeftovers();
  if (missingIn(folder).length > 0) install();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function readJson(file) {
  return JSON.parse(fs.readFileSync(file, "utf8"));
}

/** The packages installed in a folder, by path. npm writes the list last: a folder without a complete list counts as empty. */
function packagesIn(modules) {
  try {
    return readJson(join(modules, packageList)).packages;
  } catch (error) {
    if (error.code === "ENOENT" || error instanceof SyntaxError) return {};
    throw error;
  }
}

/** The paths of required packages that are missing in a folder or have another version. */
function missingIn(modules) {
  const there = packagesIn(modules);
  const paths = Object.keys(lock.packages).filter((path) => isWanted(path));
  const missing = paths.filter((path) => there[path]?.version !== lock.packages[path].version);
  return needsNode && missing.length === 0 && !fs.existsSync(`${modules}/.bin/node`)
    ? [nodePackage]
    : missing;
}

function isWanted(path) {
  if (path === "") return false;
  if (nodePackages.includes(path)) return needsNode && path === nodePackage;
  const { dev, optional, devOptional, ...entry } = lock.packages[path];
  if (dev && !withTools) return false;
  return optional || devOptional ? fitsHere(entry) : true;
}

/** Whether a package is for systems like this one alone. */
function fitsHere({ os, cpu, libc }) {
  const lists = [os, cpu].map((each) => [each].flat());
  if (!lists[0].includes(process.platform) || !lists[1].includes(process.arch)) return false;
  if (libc === undefined) return true;
  ownLibc ??= process.report.getReport().header.glibcVersionRuntime === undefined ? "musl" : "glibc";
  return [libc].flat().includes(ownLibc);
}

function install() {
  const missing = missingIn(folder);
  if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new Error(
      `node_modules is a link to a folder that lacks ${missing.length} packages, such as ${missing[0]}. It may be another clone's and was left alone. Install them there, or remove the link, then run this again.`,
    );
  if (needsNode && nodePackage === undefined)
    throw lackOfNode(`the lock file has none for ${process.platform} on ${process.arch}`);
  const what = withTools
    ? "Knack and what its tests need (once, about a minute)"
    : "Knack (once, about half a minute)";
  console.error(`Installing ${what} …`);

  const staging = join(folder, `${stagingPrefix}${process.pid}`);
  fs.mkdirSync(staging, { recursive: true });
  try {
    fill(staging);
    // Another command may have installed the same in the meantime.
    if (missingIn(folder).length > 0) moveIn(join(staging, folder));
  } finally {
    fs.rmSync(staging, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Installs exactly what the lock file names, below another folder. No script of a package runs. */
function fill(staging) {
  const modules = join(staging, folder);
  writeWanted(staging);
  const kinds = withTools ? "--include=dev" : "--omit=dev";
  const flags = `--ignore-scripts --engine-strict=false --include=optional ${kinds} --no-audit --no-fund --loglevel=error`;
  // Milliseconds between its three attempts; npm's own values keep a person without a network waiting for a minute and a half.
  const patience = "--fetch-retry-mintimeout=2000 --fetch-retry-maxtimeout=10000";
  const stdio = ["ignore", 2, 2];
  const { status } = spawnSync(`npm ci ${flags} ${patience}`, { cwd: staging, shell: true, stdio });
  // npm does not report optional packages that could not be fetched, and npm 10 may exit with 0 after a failure.
  const missing = missingIn(modules);
  if (status === 0 && missing.length === 0) return needsNode ? tryNode(modules) : undefined;
  const why =
    status === 0
      ? `: ${missing.length} packages did not arrive, such as ${missing[0]}`
      : " and says above why";
  throw new Error(
    `npm did not install what Knack needs${why}. What was there before is unchanged. Check that npm's registry can be reached (\`npm ping\`), then run this again.`,
  );
}

/** The manifest and the lock file as they are, but with the one Node that is wanted, which then may not be missing, or none. */
function writeWanted(staging) {
  const { optionalDependencies, ...wanted } = { ...manifest, scripts: {} };
  const locked = structuredClone(lock);
  const root = locked.packages[""];
  delete root.optionalDependencies;
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const path = `${folder}/${name}`;
    if (!isWanted(path)) delete locked.packages[path];
    else {
      wanted.dependencies[name] = root.dependencies[name] = version;
      delete locked.packages[path].optional;
    }
  }
  fs.writeFileSync(join(staging, "package.json"), JSON.stringify(wanted));
  fs.writeFileSync(join(staging, "package-lock.json"), JSON.stringify(locked));
  if (fs.existsSync(".npmrc")) fs.copyFileSync(".npmrc", join(staging, ".npmrc"));
}

function tryNode(modules) {
  const tried = spawnSync(join(modules, ".bin/node"), ["--version"], { encoding: "utf8" });
  const why = tried.error?.message ?? tried.stderr.trim();
  if (tried.status !== 0) throw lackOfNode(`${nodePackage} does not run here: ${why}`);
  // Headers for compilers, half as large as Node itself.
  fs.rmSync(join(modules, "..", nodePackage, "include"), { recursive: true, force: true });
}

function lackOfNode(why) {
  return new Error(
    `Knack needs Node ${requiredNode} or newer. This is ${process.version}, and no Node of the lock file can be used: ${why}. Install Node ${requiredNode} from https://nodejs.org, then run this again.`,
  );
}

/** Moves packages to their final place, the list last. */
function moveIn(source) {
  const before = join(source, "../before");
  fs.mkdirSync(before);
  const entries = (place) =>
    fs.readdirSync(place).filter((name) => name !== packageList && !name.startsWith(stagingPrefix));
  fs.rmSync(join(folder, packageList), { force: true });
  for (const name of entries(folder)) fs.renameSync(join(folder, name), join(before, name));
  for (const name of [...entries(source), packageList]) fs.renameSync(join(source, name), join(folder, name));
}

/** Removes leftovers of an interrupted installation. */
function removeLeftovers() {
  const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  for (const name of names.filter((each) => each.startsWith(stagingPrefix))) {
    if (isAlive(Number(name.slice(stagingPrefix.length)))) continue;
    try {
      fs.rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 });
    } catch {
      // Its npm is about to exit: a later command removes the folder.
    }
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}
