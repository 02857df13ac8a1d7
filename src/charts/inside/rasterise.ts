import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { ChartProblem } from "./chart-problem.ts";
import { fontFamily, fontFiles } from "./fonts.ts";

/** Pixels of a picture: for each of the SVG's own, and at most. */
const scale = 2;
const mostPixels = 40_000_000;
const widest = 2_000;

/** The picture of an SVG, PNG. @throws ChartProblem when it is empty or too large */
export async function rasterise(svg: string, width?: number): Promise<Uint8Array> {
  const locate = createRequire(import.meta.url);
  await initWasm(readFileSync(locate.resolve("@resvg/resvg-wasm/index_bg.wasm")));
  const { regular, bold } = fontFiles();
  const font = { fontBuffers: [regular, bold], defaultFontFamily: fontFamily, sansSerifFamily: fontFamily };
  const measured = new Resvg(svg, { font });
  const { width: own, height } = measured;
  if (!(own >= 1 && height >= 1))
    throw new ChartProblem("The picture has no size. Give it a viewBox, or a width and a height.");
  const shown = Math.min(widest, width ?? own);
  const zoom = scale * (shown / own);
  if (own * height * zoom * zoom > mostPixels || height * zoom > 16_000 || own * zoom > 16_000)
    throw new ChartProblem(
      `The picture would have ${Math.round(own)} × ${Math.round(height)} pixels, too many to show. Make it smaller.`,
    );
  const drawn = new Resvg(svg, { font, fitTo: { mode: "zoom", value: zoom } }).render();
  return drawn.asPng();
}
