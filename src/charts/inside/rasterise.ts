import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { DOMParser } from "linkedom";
import { ChartProblem } from "../draw-request.ts";
import { ground } from "./chart-theme.ts";
import { type FontSet, fontFamily, fontFiles } from "./fonts.ts";

/** Resolution of a picture: pixels per unit of the SVG, and maximum pixels. */
const scale = 2;
const maxPixels = 40_000_000;
const maxWidth = 2_000;

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

/** The area that an SVG draws on, in its units; undefined if it draws nothing. */
async function extentOf(svg: string, set: FontSet) {
  const box = (await opened(svg, set)).getBBox();
  return box && { left: box.x, top: box.y, right: box.x + box.width, bottom: box.y + box.height };
}

/**
 * The picture of an SVG, PNG. It is opaque, so that it is readable on a dark background too.
 * @throws ChartProblem when it is empty or too large
 */
export async function rasterise(svg: string, set: FontSet, width?: number): Promise<Uint8Array> {
  const { width: own, height } = await opened(svg, set);
  if (!(own >= 1 && height >= 1))
    throw new ChartProblem("The picture has no size. Give it a viewBox, or a width and a height.");
  const shown = Math.min(maxWidth, width ?? own);
  const zoom = scale * (shown / own);
  if (own * height * zoom * zoom > maxPixels || height * zoom > 16_000 || own * zoom > 16_000)
    throw new ChartProblem(
      `The picture would have ${Math.round(own)} × ${Math.round(height)} pixels, too many to show. Make it smaller.`,
    );
  return (await opened(svg, set, zoom)).render().asPng();
}

/** Elements that are drawn, other than texts. */
const shapes = "path, rect, circle, ellipse, line, polyline, polygon, use";
/** Maximum enlargement of a picture, as a share of it. */
const most = 0.6;

/** Enlarges a diagram if a text of it crosses an edge: its author could only guess how wide the text is. */
export async function fitTexts(svg: string): Promise<{ svg: string; notes: string[] }> {
  const root = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  const [left, top, width, height] = (root.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
  if (left === undefined || top === undefined || !width || !height) return { svg, notes: [] };
  for (const shape of root.querySelectorAll(shapes)) if (shape.closest("text") === null) shape.remove();
  const texts = await extentOf(root.toString(), "diagram");
  if (texts === undefined) return { svg, notes: [] };
  const over = {
    left: Math.max(0, left - texts.left),
    top: Math.max(0, top - texts.top),
    right: Math.max(0, texts.right - left - width),
    bottom: Math.max(0, texts.bottom - top - height),
  };
  const sides = (Object.keys(over) as (keyof typeof over)[]).filter((side) => over[side] > 1);
  if (sides.length === 0) return { svg, notes: [] };
  const where = sides.join(", ");
  if (over.left + over.right > most * width || over.top + over.bottom > most * height)
    return { svg, notes: [`A text goes far over the edge (${where}) and is cut: change the viewBox.`] };
  const margin = 0.02 * width;
  const room = (side: keyof typeof over) => (over[side] > 1 ? over[side] + margin : 0);
  const box = [
    left - room("left"),
    top - room("top"),
    width + room("left") + room("right"),
    height + room("top") + room("bottom"),
  ];
  const wider = box.map((each) => Math.round(each * 10) / 10).join(" ");
  return {
    svg: svg.replace(/\bviewBox="[^"]*"/, `viewBox="${wider}"`),
    notes: [`A text went over the edge (${where}), so the picture was made larger.`],
  };
}
