/** The thread that draws: takes the request from `workerData`, and posts its answer as JSON. */
import { parentPort, workerData } from "node:worker_threads";
import { ChartProblem, type DrawAnswer, type DrawRequest } from "../draw-request.ts";

// No network here: libraries find no function for it.
for (const name of ["fetch", "WebSocket", "EventSource", "XMLHttpRequest"])
  Reflect.deleteProperty(globalThis, name);
parentPort?.postMessage(JSON.stringify(await answer(workerData as DrawRequest)));

async function answer(request: DrawRequest): Promise<DrawAnswer> {
  try {
    const { svg, notes } = request.kind === "chart" ? await chartOf(request) : await diagramOf(request.svg);
    const [{ rasterise }, { withKnownSigns }] = await Promise.all([
      import("./rasterise.ts"),
      import("./fonts.ts"),
    ]);
    const { drawable, notes: missing } = withKnownSigns(svg);
    const width = request.kind === "svg" ? request.width : undefined;
    const png = await rasterise(drawable, request.kind === "chart" ? "chart" : "diagram", width);
    return { ok: true, svg, notes: [...notes, ...missing], png: Buffer.from(png).toString("base64") };
  } catch (error) {
    if (error instanceof ChartProblem) return { ok: false, problem: error.message };
    const words = error instanceof Error ? error.message : String(error);
    const what = request.kind === "chart" ? "The specification cannot be drawn" : "The SVG cannot be drawn";
    return { ok: false, problem: `${what}: ${words.slice(0, 500)}` };
  }
}

async function chartOf(request: DrawRequest & { kind: "chart" }) {
  const [{ cleanChart }, { drawChart }] = await Promise.all([
    import("./clean-svg.ts"),
    import("./draw-chart.ts"),
  ]);
  const drawn = await drawChart(request);
  const cleaned = cleanChart(drawn.svg);
  return { svg: cleaned.svg, notes: [...cleaned.notes, ...drawn.notes] };
}

async function diagramOf(source: string) {
  const [{ cleanSvg }, { fitTexts }] = await Promise.all([
    import("./clean-svg.ts"),
    import("./rasterise.ts"),
  ]);
  const cleaned = cleanSvg(source);
  const { svg, notes } = await fitTexts(cleaned.svg);
  return { svg, notes: [...cleaned.notes, ...notes] };
}
