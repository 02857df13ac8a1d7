import { fontFamily } from "./fonts.ts";

const blue = "#0072b2";
/**
 * Colours that remain distinct in any colour vision, by Okabe and Ito (https://jfly.uni-koeln.de/color/), then darker and lighter ones for
 * charts that need more.
 */
export const palette = [
  ...[blue, "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#6d6d6d", "#b8a900"],
  ...["#003f63", "#8c6100", "#00573f", "#7d3c60", "#7a3600", "#a6d8f5", "#b5b5b5", "#5f5700"],
];

/** The background of every picture. */
export const ground = "#fcfbf8";

/** Font sizes, pixels. A phone shows a chart half as wide. */
export const fontSizes = { title: 19, subtitle: 14, axisTitle: 14, label: 13 };

const onLight = { ink: "#2b2b2b", faint: "#55534d", line: "#a8a59c", grid: "#e4e2dc" };
const onDark = { ink: "#f2f0ea", faint: "#cfccc4", line: "#8a877f", grid: "#45433f" };

/** The theme of charts: opaque, so that they are readable on dark and light backgrounds. */
export function chartTheme(background: string) {
  const { ink, faint, line, grid } = isDark(background) ? onDark : onLight;
  const { title, subtitle, axisTitle, label } = fontSizes;
  const words = {
    labelColor: ink,
    titleColor: ink,
    labelFontSize: label,
    titleFontSize: axisTitle,
    titleFontWeight: "normal",
  };
  return {
    background,
    padding: 18,
    font: fontFamily,
    view: { stroke: "transparent" },
    title: {
      fontSize: title,
      color: ink,
      anchor: "start",
      offset: 14,
      subtitleColor: faint,
      subtitleFontSize: subtitle,
      subtitlePadding: 5,
    },
    axis: {
      ...words,
      labelColor: faint,
      titlePadding: 10,
      titleLimit: 420,
      labelPadding: 5,
      gridColor: grid,
      domainColor: line,
      tickColor: line,
      labelLimit: 220,
      maxExtent: 260,
      labelOverlap: true,
    },
    axisX: { grid: false },
    axisY: { titleLimit: 300 },
    legend: { ...words, titleLimit: 180, labelLimit: 160 },
    header: words,
    range: {
      category: palette,
      ordinal: { scheme: "blues" },
      heatmap: { scheme: "viridis" },
      ramp: { scheme: "blues" },
      diverging: { scheme: "blueorange" },
    },
    mark: { color: blue },
    bar: { color: blue },
    arc: { stroke: background, strokeWidth: 1.5 },
    line: { strokeWidth: 2.5 },
    area: { fillOpacity: 0.6 },
    point: { size: 55, filled: true },
    text: { color: ink, fontSize: label },
    rule: { color: ink },
  };
}

/** Whether it is a dark background, which needs light text: a colour as `#1e1e1e`, or one of the common names. */
function isDark(colour: string): boolean {
  if (/^(black|navy|midnightblue|darkblue|darkslategr[ae]y)$/i.test(colour)) return true;
  const whole = colour.replace(/^#([\da-f])([\da-f])([\da-f])$/i, "#$1$1$2$2$3$3");
  if (!/^#[\da-f]{6}$/i.test(whole)) return false;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(whole.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue < 110;
}
