/** The reading process: takes its request as an argument, and answers on its output. */
import { runThread } from "../../process/sealed-thread.ts";
import type { ReadRequest } from "../read-limits.ts";

const request = JSON.parse(process.argv[2] ?? "") as ReadRequest;
runThread(new URL("./reader-thread.ts", import.meta.url), request, request.limits.memoryBytes);
