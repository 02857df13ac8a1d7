#!/usr/bin/env node
/** The command line of this process. The commands themselves are in src/cli/. */
import { readFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { CommandProcess } from "./cli/command-context.ts";
import { traceToSources } from "./cli/stack-traces.ts";
import { processEnvironment } from "./config/environment.ts";
import { usualLocalServers } from "./models/local-servers.ts";

// With a cache of compiled code a start takes half the time, so everything large is imported after this call. The cache
// is next to the code, where no other user can write. If the folder cannot be written, only the speed suffers.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/knack", import.meta.url)));

traceToSources();

const { stdin, stdout, stderr } = process;

const context: CommandProcess = {
  stdin,
  stdout,
  stderr,
  env: processEnvironment(),
  cwd: process.cwd(),
  clock: {
    now: Date.now,
    sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
  },
  openBot: async (config, options) => (await import("./main.ts")).openKnack(config, options),
  localServers: usualLocalServers,
  findRunningBot: async (folder) => (await import("./storage/data-folder.ts")).readHolder(folder),
  onSignal(names, listener) {
    for (const name of names) process.on(name, listener);
    return () => {
      for (const name of names) process.off(name, listener);
    };
  },
  exitAtOnce: (code) => process.exit(code),
};

/** A closed pipe (`knack skills list | head`) is not a failure: the work is finished without the reader. */
for (const stream of [stdout, stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

const packageFile = new URL("../package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(packageFile, "utf8")) as { version: string };
const { runCommandLine } = await import("./cli/run-command-line.ts");
const code = await runCommandLine(process.argv.slice(2), context, version);
await new Promise((flushed) => stdout.write("", flushed));
process.exit(code);
