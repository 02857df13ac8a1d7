/** The drawing process: reads a request from the first line of its input, and answers on its output. */
import { firstLine, runThread } from "../../process/sealed-thread.ts";
import type { DrawRequest } from "../draw-request.ts";

const request = JSON.parse(await firstLine()) as DrawRequest;
runThread(new URL("./draw-thread.ts", import.meta.url), request, request.memoryBytes);
