import { styleText } from "node:util";

export type Paint = ReturnType<typeof createPaint>;

/** Colours and styles of the terminal; without colours every function returns its text unchanged. */
export function createPaint(colours: boolean) {
  const style = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    colours && text !== "" ? styleText(format, text, { validateStream: false }) : text;
  return {
    bold: style("bold"),
    italic: style("italic"),
    strike: style("strikethrough"),
    dim: style("dim"),
    code: style("yellow"),
    link: style("underline"),
    good: style("green"),
    bad: style("red"),
    accent: style("cyan"),
  };
}
