/** The reading process: takes its request on its input, and answers on its output. */
import { firstLine, runThread } from "../../process/sealed-thread.ts";
import type { ReadRequest } from "../read-limits.ts";

const request = JSON.parse(await firstLine()) as ReadRequest;
runThread(new URL("./reader-thread.ts", import.meta.url), request, request.limits.memoryBytes);
