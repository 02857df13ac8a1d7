import { DOMParser } from "linkedom";
import { extentOf } from "./rasterise.ts";

/** What is drawn beside texts. */
const shapes = "path, rect, circle, ellipse, line, polyline, polygon, use";
/** Share of a picture by which it is made larger, at most. */
const most = 0.6;

/** Makes a diagram larger where a text of it goes over an edge: whoever wrote it could only guess how wide the text is. */
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
  if (over.left + over.right > most * width || over.top + over.bottom > most * height)
    return {
      svg,
      notes: [`A text goes far over the edge (${sides.join(", ")}) and is cut: change the viewBox.`],
    };
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
    notes: [`A text went over the edge (${sides.join(", ")}), so the picture was made larger.`],
  };
}
