/** The thread that reads one file: takes the request from `workerData`, and posts its answer as JSON. */
import { parentPort, workerData } from "node:worker_threads";
import type { ReadRequest } from "../read-limits.ts";
import { readFile } from "./read-file.ts";

/** The file. */
const descriptor = 3;

// No network here: libraries find no function for it.
for (const name of ["fetch", "WebSocket", "EventSource", "XMLHttpRequest"])
  Reflect.deleteProperty(globalThis, name);
parentPort?.postMessage(JSON.stringify(await readFile(descriptor, workerData as ReadRequest)));
