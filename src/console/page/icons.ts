import { html, svg, type TemplateResult } from "lit-html";

/** Stroke paths on a 20 × 20 grid. */
const paths = {
  plus: ["M10 4.5v11", "M4.5 10h11"],
  close: ["m5.5 5.5 9 9", "m14.5 5.5-9 9"],
  menu: ["M3.5 6h13", "M3.5 10h13", "M3.5 14h13"],
  hash: ["M4 7.5h12.5", "M3.5 12.5H16", "M8.5 3.5 7 16.5", "m13 3.5-1.5 13"],
  person: ["M10 10a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z", "M4 16.5c.6-3 3-4.5 6-4.5s5.4 1.5 6 4.5"],
  write: ["M4 16h3L15.8 7.200a1.6 1.6 0 0 0 0-2.300l-.7-.700a1.6 1.6 0 0 0-2.3 0L4 13v3Z", "M11.5 5.500l3 3"],
  send: ["M10 16V4.5", "m5 9 5-5 5 5"],
  stop: ["M6 6h8v8H6z"],
  check: ["m4.5 10.5 3.7 3.7 7.3-8"],
  cross: ["m6 6 8 8", "m14 6-8 8"],
  chevron: ["m7.5 5 5 5-5 5"],
  down: ["M10 4.500v11", "m5 10.5 5 5 5-5"],
  back: ["M12.5 5l-5 5 5 5"],
  attach: [
    "m14.8 9.2-5.300 5.300a3 3 0 0 1-4.200-4.200l6-6a2 2 0 0 1 2.800 2.800l-5.800 5.800a1 1 0 0 1-1.400-1.400l5-5",
  ],
  picture: ["M3.500 4.500h13v11h-13z", "m4 14 4-4 3 3 2.500-2.500 2.500 2.500", "M12.500 7.500h.01"],
  copy: ["M7.5 7.500h8v8h-8z", "M12.5 7.500v-3h-8v8h3"],
  again: ["M15.5 8.500A6 6 0 1 0 16 11", "M16 4.500v4h-4"],
  skills: ["M4 4h5v5H4z", "M4 11.500h5v5H4z", "M11.5 11.500h5v5h-5z", "M14 3.500v5.5", "M11.2 6.200h5.6"],
  search: ["M9 14.500a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11Z", "m13 13 3.5 3.5"],
  sun: [
    "M10 13.200a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.400Z",
    "M10 2.500v1.5",
    "M10 16v1.5",
    "M2.5 10H4",
    "M16 10h1.5",
    "m4.7 4.7 1 1",
    "m14.3 14.3 1 1",
    "m15.3 4.7-1 1",
    "m5.7 14.3-1 1",
  ],
  moon: ["M16.5 11.800A6.8 6.8 0 0 1 8.2 3.500a6.8 6.8 0 1 0 8.3 8.300Z"],
  screen: ["M3 4.500h14v9H3z", "M7.5 16.500h5", "M10 13.500v3"],
  warning: ["M10 3.5 2.8 16h14.400L10 3.500Z", "M10 8.500v3.5", "M10 14.100v.1"],
  question: ["M7.5 7.500a2.5 2.5 0 1 1 3.6 2.200c-.7.4-1.1.9-1.1 1.8", "M10 14.300v.1"],
  page: ["M5 3.500h6.500L15 7v9.500H5z", "M8 10h4.5", "M8 13h4.5"],
  clock: ["M10 16.500a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Z", "M10 6.500V10l2.5 1.5"],
} as const;

export type IconName = keyof typeof paths;

/** A line icon in the colour of the text. It is decoration: the control next to it has the name. */
export function icon(name: IconName): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
    ${paths[name].map((d) => svg`<path d=${d}></path>`)}
  </svg>`;
}

/** The mark of the product. */
export function mark(): TemplateResult {
  return html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="9"></rect>
    <path d="M11 8v16M21.5 8.5 11.6 17.2M14.6 14.6 22 23.5"></path>
  </svg>`;
}
