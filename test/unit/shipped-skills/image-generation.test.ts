import { describe, expect, it } from "vitest";
import { createCharts } from "../../../src/charts/create-charts.ts";
import { ImageError, type ImageMaker, type WantedImage } from "../../../src/core/ports/services.ts";
import { validatePackage } from "../../../src/skills/document/validate-package.ts";
import { createSkillBench } from "../../support/skills/skill-bench.ts";

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
const asked: WantedImage[] = [];
const images: ImageMaker = {
  model: "openai/gpt-image",
  async make(wanted) {
    asked.push(wanted);
    if (wanted.prompt.includes("forbidden")) throw new ImageError("refused", "It was not allowed.");
    const one = { media_type: "image/png", data: png };
    return {
      images: Array.from({ length: wanted.count }, () => one),
      model: "openai/gpt-image",
      usage: { input_tokens: 50, output_tokens: 1_000, cost_usd: 0.04 },
    };
  },
};
const svg =
  '<svg viewBox="0 0 200 100"><rect x="10" y="10" width="80" height="40" fill="#eef" stroke="#333"/><text x="20" y="35" font-size="14">Bot</text></svg>';

describe("the image-generation skill", () => {
  it("the image-generation skill is a valid Agent Skills package", async () => {
    expect(await validatePackage("skills/image-generation")).toEqual({ valid: true, errors: [] });
  });

  it("the image-generation skill posts pictures, counts what they cost, and changes those of the thread", async () => {
    const bench = createSkillBench({ means: { images }, attached: { "cat.png": png } });
    const run = await bench.run("image-generation#make", {
      prompt: "A cat in a space suit",
      count: 2,
      from: ["cat.png"],
    });
    expect(run.output).toEqual({
      files: ["a-cat-in-a-space-suit-1.png", "a-cat-in-a-space-suit-2.png"],
      model: "openai/gpt-image",
    });
    expect(run.usage).toContainEqual(expect.objectContaining({ model: "openai/gpt-image", cost_usd: 0.04 }));
    expect(asked.at(-1)).toMatchObject({
      count: 2,
      shape: "square",
      from: [{ name: "cat.png", media_type: "image/png" }],
    });
    expect(run.files).toHaveLength(2);
  });

  it("the image-generation skill draws a diagram without any service, and removes active parts", async () => {
    const bench = createSkillBench({ means: { charts: createCharts() } });
    const run = await bench.run("image-generation#diagram", {
      svg: svg.replace("<rect", "<script>x</script><rect"),
      name: "Our bot",
    });
    expect(run.output).toEqual({ files: ["our-bot.png", "our-bot.svg"], notes: ["Taken out: script."] });
    const broken = await bench.run("image-generation#diagram", { svg: "this is no picture" });
    expect(JSON.stringify(broken.output)).toContain("no SVG");
  });

  it.each([
    ["no service", {}, { prompt: "A cat" }, /service that generates images.*OPENAI_API_KEY/],
    ["a refusal", { means: { images } }, { prompt: "forbidden things" }, /not allowed/],
    [
      "a file that is no picture",
      { means: { images }, attached: { "a.txt": "x" } },
      { prompt: "A cat", from: ["a.txt"] },
      /not a picture that can be changed/,
    ],
  ])("the image-generation skill says what is wrong: %s", async (_name, options, input, words) => {
    const run = await createSkillBench(options).run("image-generation#make", input);
    expect(run.status).toBe("error");
    expect(JSON.stringify(run.output)).toMatch(words);
  });

  it("the image-generation skill costs what its example costs", async () => {
    const bench = createSkillBench({ means: { images } });
    await bench.run("image-generation#make", { prompt: "A cat in a space suit" });
    expect(await bench.cost("image-generation")).toEqual({
      tools: 260,
      guide: 160,
      calls: 0,
      asked: 0,
      answered: 0,
    });
  });
});
