/** The worker's entry: reads one page, given as `workerData`, and posts the result. */
import { parentPort, workerData } from "node:worker_threads";
import { readablePage } from "../html/readable-page.ts";
import type { PageRequest } from "./extract-page.ts";

const { html, url } = workerData as PageRequest;
parentPort?.postMessage(await readablePage(html, url));
