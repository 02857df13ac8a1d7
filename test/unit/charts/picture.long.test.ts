import { describe, expect, it } from "vitest";
import { createCharts } from "../../../src/charts/create-charts.ts";
import { bar, draw } from "../../support/draw-chart.ts";
import { lookAt } from "../../support/look-at-png.ts";

const signal = new AbortController().signal;
const charts = createCharts();

it("a chart is a picture of twice the pixels, its texts in the shipped font, and an SVG that needs nothing else", async () => {
  const [drawn, blank] = await Promise.all([
    draw({ ...bar, title: "Tickets" }),
    draw({ ...bar, title: "       " }),
  ]);
  if (!drawn.ok || !blank.ok) throw new Error("not drawn");
  expect(lookAt(drawn.png)).toMatchObject({ width: 800, height: 600 });
  expect(drawn.svg).toContain(">Tickets</text>");
  expect(drawn.svg).toContain("DejaVu Sans, Verdana");
  expect(drawn.svg).not.toMatch(/href=|url\(http/);
  expect(drawn.notes).toEqual([]);
  // Whatever fonts the machine has.
  expect(Buffer.compare(lookAt(drawn.png).raw, lookAt(blank.png).raw)).not.toBe(0);
});

describe("the picture of an SVG", () => {
  it("the picture of an SVG has nothing active and nothing from elsewhere, and says what was removed [text-2]", async () => {
    const svg = `<svg viewBox="0 0 100 50"><script>x</script><rect width="9" height="9" onload="x()" fill="url(#a)"/><image href="http://x/a.png"/><use href="#a"/><text x="5" y="20">Hi</text></svg>`;
    const drawn = await charts.picture(svg, signal, 300);
    if (!drawn.ok) throw new Error(drawn.problem);
    expect(drawn.svg).not.toMatch(/script|onload|http:\/\/x/);
    expect(drawn.svg).toContain('href="#a"');
    expect(drawn.notes[0]).toMatch(/Taken out: script, onload, image/);
    expect(lookAt(drawn.png)).toMatchObject({ width: 600, height: 300 });
  });

  it.each<[string, string, RegExp, RegExp]>([
    [
      "a script under a prefix",
      '<svg:script xmlns:svg="http://www.w3.org/2000/svg">x</svg:script>',
      /svg:script/,
      /Taken out/,
    ],
    [
      "styles whose escapes hide an address",
      "<style>@\\69mport 'http://x/a'; .a{fill:u\\72l(http://x)}</style>",
      /http:\/\/x/,
      /Taken out: style/,
    ],
    ["an attribute of that kind", '<g style="fill:u\\72l(http://x/)"/>', /http:\/\/x/, /Taken out: style/],
    [
      "text in HTML",
      "<foreignObject><div><p>Important</p></div></foreignObject>",
      /foreignObject|div/,
      /“Important”[^,]*\.$/,
    ],
  ])("the picture of an SVG keeps out %s", async (_name, part, gone, note) => {
    const drawn = await charts.picture(
      `<svg viewBox="0 0 100 50">${part}<rect width="9" height="9"/></svg>`,
      signal,
    );
    if (!drawn.ok) throw new Error(drawn.problem);
    expect(drawn.svg).not.toMatch(gone);
    expect(drawn.notes.join(" ")).toMatch(note);
  });

  it("the picture of an SVG keeps gradients, named signs and styles, even those of an imported font without the import", async () => {
    const style = "<style>@import url('https://fonts.example/css?a;b'); .a { fill: #eef }</style>";
    const ground = '<linearGradient id="g"><stop offset="1" stop-color="#eef"/></linearGradient>';
    const drawn = await charts.picture(
      `<svg viewBox="0 0 100 50">${style}${ground}<rect class="a" width="9" height="9"/><text y="20">a&nbsp;&mdash; b</text></svg>`,
      signal,
    );
    if (!drawn.ok) throw new Error(drawn.problem);
    expect(drawn.svg).toContain(".a { fill: #eef }");
    expect(drawn.svg).not.toContain("fonts.example");
    expect(drawn.svg).toContain("linearGradient");
    expect(drawn.svg).toContain("a&#160;— b");
  });

  it("the picture of an SVG is opaque, so that it is readable in dark surroundings", async () => {
    const drawn = await charts.picture('<svg viewBox="0 0 100 50"><g/></svg>', signal);
    if (!drawn.ok) throw new Error(drawn.problem);
    const { raw, width } = lookAt(drawn.png);
    const bytes = Math.floor(raw.length / lookAt(drawn.png).height / width);
    // The first byte of a line is its filter.
    expect([...raw.subarray(1, 1 + bytes)]).toEqual([0xfc, 0xfb, 0xf8, 0xff].slice(0, bytes));
  });

  it("the picture of an SVG grows where a text goes over an edge, and says so where it cannot", async () => {
    const at = (x: number) =>
      charts.picture(`<svg viewBox="0 0 200 50"><text x="${x}" y="20">Customer request</text></svg>`, signal);
    const [over, far] = await Promise.all([at(150), at(900)]);
    expect(over).toMatchObject({ ok: true, notes: [expect.stringMatching(/\(right\).*larger/)] });
    expect(over.ok && Number(/viewBox="0 0 ([\d.]+) 50"/.exec(over.svg)?.[1])).toBeGreaterThan(240);
    expect(far).toMatchObject({ ok: true, notes: [expect.stringMatching(/is cut/)] });
  });

  it("the picture of an SVG leaves out emoji that the font does not have, and says which", async () => {
    const drawn = await charts.picture('<svg viewBox="0 0 200 50"><text y="20">Go 🚀</text></svg>', signal);
    expect(drawn).toMatchObject({ ok: true, notes: [expect.stringMatching(/no 🚀: the PNG leaves out/)] });
  });

  it.each([
    ["no SVG", "hello", /no SVG/],
    ["entities", '<svg viewBox="0 0 1 1"><!ENTITY a "b"></svg>', /DOCTYPE/],
  ])("the picture of an SVG is refused: %s", async (_name, svg, words) => {
    expect(await charts.picture(svg, signal)).toMatchObject({
      ok: false,
      problem: expect.stringMatching(words),
    });
  });
});
