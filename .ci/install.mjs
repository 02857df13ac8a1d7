// Installs what is missing, so that `npm start` and `npm test` work alone on a fresh clone. With `--production`
// only what the bot runs on; without it also what the tests and checks need. Changes nothing outside node_modules.
// Runs on any Node >= 18. Where that is older than the Node 24 that Knack needs, the optional package `node`
// brings one; elsewhere it is left out, which saves 120 MB.
import { execSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync } from "node:fs";

const requiredNode = 24;
const production = process.argv.includes("--production");
const needsNode = Number.parseInt(process.versions.node, 10) < requiredNode;

const wanted = packagesOf("package-lock.json");
// npm writes this file last: an install that was interrupted leaves none.
const installed = packagesOf("node_modules/.package-lock.json");
// A bot that is started between two test runs must not remove what the tests need.
const withTools = !production || Object.keys(wanted).some((path) => wanted[path].dev && path in installed);

const lacksNode = () => needsNode && !existsSync("node_modules/.bin/node");

if (lacksNode() || Object.keys(wanted).some(isMissing)) install();
if (lacksNode()) {
  console.error(
    `Knack needs Node ${requiredNode} or newer, this is ${process.version}, and no package of it fits this system. Install Node ${requiredNode} from https://nodejs.org, then try again.`,
  );
  process.exit(1);
}

function packagesOf(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).packages : {};
}

function isMissing(path) {
  const { dev, devOptional, optional, version } = wanted[path];
  if (path === "" || (dev && !withTools)) return false;
  // What only some systems need: of these, just our own Node is looked for.
  if ((optional || devOptional) && !(needsNode && path === "node_modules/node")) return false;
  return installed[path]?.version !== version;
}

function install() {
  // npm would empty the folder that other clones use too.
  if (lstatSync("node_modules", { throwIfNoEntry: false })?.isSymbolicLink()) {
    console.error("node_modules is a link to another folder, which lacks packages: install them there.");
    return;
  }
  const what = withTools
    ? "Knack and what its tests need (once, about a minute)"
    : "Knack (once, about 20 seconds)";
  console.error(`Installing ${what} …`);
  // Only `node` has an install script that is needed. better-sqlite3's would ask for a compiler; it is not used.
  const omit = withTools ? "" : `--omit=dev${needsNode ? "" : " --omit=optional"}`;
  npm(`ci --ignore-scripts ${omit}`);
  if (!needsNode) return;
  npm("rebuild node --ignore-scripts=false");
  // Its script leaves a second package with headers behind, 66 MB, which the lock file does not name.
  npm(`prune --ignore-scripts ${omit}`);
}

function npm(command) {
  execSync(`npm ${command} --no-audit --no-fund --loglevel=error`, { stdio: ["ignore", 2, 2] });
}
