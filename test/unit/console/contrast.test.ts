import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const theme = readFileSync("src/console/theme.css", "utf8");

/** Both values of a colour of the theme: light, then dark. */
function colour(name: string): string[] {
  const pair = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(theme);
  if (pair === null) throw new Error(`The theme has no ${name}.`);
  return pair.slice(1);
}

/** As WCAG 2.2 defines it: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test.each([
  ["ink-faint", "paper"],
  ["ink-faint", "paper-low"],
  ["ink-faint", "fill"],
  ["ink-faint", "fill-strong"],
  ["ink-soft", "fill"],
  ["ok", "accent-fill"],
  ["ok", "fill"],
  ["warn", "warn-fill"],
  ["bad", "bad-fill"],
  ["accent-ink", "accent"],
])("%s is readable on %s, in light and dark", (ink, ground) => {
  const grounds = colour(ground);
  for (const [at, text] of colour(ink).entries()) {
    expect(contrast(text, grounds[at] ?? "")).toBeGreaterThanOrEqual(4.5);
  }
});
