// Installs the dependencies when they are missing or older than the lock file, so that `npm start` and
// `npm test` work alone on a fresh clone. Runs on any Node >= 18: the Node 24 that the program itself
// needs is one of the dependencies (the `node` package).
import { execSync } from "node:child_process";
import { statSync } from "node:fs";

const modified = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const installed = modified("node_modules/.package-lock.json");

if (installed === 0 || installed < modified("package-lock.json")) {
  console.error("Installing dependencies (once, takes about half a minute) …");
  execSync("npm ci --no-audit --no-fund --loglevel=error", { stdio: ["ignore", 2, 2] });
}
