import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { ChartProblem } from "./chart-problem.ts";
import { ground } from "./chart-theme.ts";
import { type FontSet, fontFamily, fontFiles } from "./fonts.ts";

/** Pixels of a picture: for each of the SVG's own, and at most. */
const scale = 2;
const maxPixels = 40_000_000;
const widest = 2_000;

let ready: Promise<void> | undefined;

async function opened(svg: string, set: FontSet, zoom = 1): Promise<InstanceType<typeof Resvg>> {
  const locate = createRequire(import.meta.url);
  ready ??= initWasm(readFileSync(locate.resolve("@resvg/resvg-wasm/index_bg.wasm")));
  await ready;
  const font = {
    fontBuffers: fontFiles(set),
    defaultFontFamily: fontFamily,
    sansSerifFamily: fontFamily,
    serifFamily: fontFamily,
    monospaceFamily: `${fontFamily} Mono`,
  };
  return new Resvg(svg, { font, fitTo: { mode: "zoom", value: zoom }, background: ground });
}

/** Where what an SVG draws lies, in its units; undefined when it draws nothing. */
export async function extentOf(svg: string, set: FontSet) {
  const box = (await opened(svg, set)).getBBox();
  return box && { left: box.x, top: box.y, right: box.x + box.width, bottom: box.y + box.height };
}

/**
 * The picture of an SVG, PNG. It is opaque, so that it is read in dark surroundings too.
 * @throws ChartProblem when it is empty or too large
 */
export async function rasterise(svg: string, set: FontSet, width?: number): Promise<Uint8Array> {
  const { width: own, height } = await opened(svg, set);
  if (!(own >= 1 && height >= 1))
    throw new ChartProblem("The picture has no size. Give it a viewBox, or a width and a height.");
  const shown = Math.min(widest, width ?? own);
  const zoom = scale * (shown / own);
  if (own * height * zoom * zoom > maxPixels || height * zoom > 16_000 || own * zoom > 16_000)
    throw new ChartProblem(
      `The picture would have ${Math.round(own)} × ${Math.round(height)} pixels, too many to show. Make it smaller.`,
    );
  return (await opened(svg, set, zoom)).render().asPng();
}
