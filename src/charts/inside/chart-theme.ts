import { fontFamily } from "./fonts.ts";

/** Colours that people with any colour vision tell apart, by Okabe and Ito: https://jfly.uni-koeln.de/color/ */
const palette = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#6d6d6d", "#b8a900"];
const ink = "#2b2b2b";
const faint = "#5c5c5c";
const grid = "#e4e2dc";

/** The ground of every picture. */
export const ground = "#fcfbf8";

/** How charts look: dark on an opaque light ground, so that they are read in dark and light surroundings. */
export const chartTheme = {
  background: ground,
  padding: 18,
  font: fontFamily,
  view: { stroke: "transparent" },
  title: {
    fontSize: 16,
    color: ink,
    anchor: "start",
    offset: 14,
    subtitleColor: faint,
    subtitleFontSize: 12,
  },
  axis: {
    labelColor: faint,
    titleColor: ink,
    labelFontSize: 11,
    titleFontSize: 12,
    titleFontWeight: "normal",
    titlePadding: 10,
    labelPadding: 5,
    gridColor: grid,
    domainColor: "#a8a59c",
    tickColor: "#a8a59c",
    labelLimit: 220,
    labelOverlap: true,
  },
  axisX: { grid: false },
  legend: {
    labelColor: ink,
    titleColor: ink,
    labelFontSize: 11,
    titleFontSize: 12,
    titleFontWeight: "normal",
    labelLimit: 220,
  },
  header: { labelColor: ink, titleColor: ink, labelFontSize: 12, titleFontWeight: "normal" },
  range: {
    category: palette,
    ordinal: { scheme: "blues" },
    heatmap: { scheme: "viridis" },
    ramp: { scheme: "blues" },
    diverging: { scheme: "blueorange" },
  },
  mark: { color: palette[0] },
  bar: { color: palette[0] },
  line: { strokeWidth: 2.5 },
  area: { fillOpacity: 0.6 },
  point: { size: 55, filled: true },
  text: { color: ink, fontSize: 11 },
  numberFormat: ",.10~g",
} as const;
