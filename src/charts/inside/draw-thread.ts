/** The thread that draws: what `workerData` asks for, whose answer it posts as JSON. */
import { parentPort, workerData } from "node:worker_threads";
import type { DrawAnswer, DrawRequest } from "../draw-request.ts";
import { ChartProblem } from "./chart-problem.ts";

// Nothing here asks a network. Libraries that could find nothing to do it with.
for (const name of ["fetch", "WebSocket", "EventSource", "XMLHttpRequest"])
  Reflect.deleteProperty(globalThis, name);
parentPort?.postMessage(JSON.stringify(await answer(workerData as DrawRequest)));

async function answer(request: DrawRequest): Promise<DrawAnswer> {
  try {
    const { svg, notes } = request.kind === "chart" ? await chartOf(request) : await cleanOf(request.svg);
    const { rasterise } = await import("./rasterise.ts");
    const width = request.kind === "svg" ? request.width : undefined;
    return { ok: true, svg, notes, png: Buffer.from(await rasterise(svg, width)).toString("base64") };
  } catch (error) {
    if (error instanceof ChartProblem) return { ok: false, problem: error.message };
    const words = error instanceof Error ? error.message : String(error);
    const what = request.kind === "chart" ? "The specification cannot be drawn" : "The SVG cannot be drawn";
    return { ok: false, problem: `${what}: ${words.slice(0, 500)}` };
  }
}

async function chartOf(request: DrawRequest & { kind: "chart" }) {
  const { drawChart } = await import("./draw-chart.ts");
  return await drawChart(request);
}

async function cleanOf(svg: string) {
  const { cleanSvg } = await import("./clean-svg.ts");
  return cleanSvg(svg);
}
