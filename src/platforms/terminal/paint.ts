import { styleText } from "node:util";

/** Colours and styles of the terminal; without colours every function returns its text unchanged. */
export interface Paint {
  bold(text: string): string;
  italic(text: string): string;
  strike(text: string): string;
  dim(text: string): string;
  code(text: string): string;
  link(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  accent(text: string): string;
}

export function createPaint(colours: boolean): Paint {
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
