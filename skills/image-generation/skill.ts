import { z } from "zod";
import { fileNameOf, slugOf } from "../../src/base/file-kind.ts";
import { ImageError, type WantedImage } from "../../src/core/ports/services.ts";
import { definePart, defineSkillParts, SkillFailure } from "../../src/core/skill/define-skill.ts";
import type { ToolContext } from "../../src/core/skill/tool.ts";

const types: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
};
const ending: Record<string, string> = { "image/png": "png", "image/jpeg": "jpg", "image/webp": "webp" };

const make = definePart({
  name: "picture_make",
  title: "Making a picture",
  description: "Makes pictures from words, or changes pictures of the thread, and shows them to you.",
  means: ["images"],
  effect: "side_effect",
  parameters: z.object({
    prompt: z
      .string()
      .trim()
      .min(3)
      .max(8_000)
      .describe("subject, style, light, composition; text in quotes; nobody real"),
    shape: z.enum(["square", "wide", "tall"]).default("square"),
    count: z.number().int().min(1).max(4).default(1),
    from: z.array(z.string().max(1_000)).max(4).default([]).describe("paths of pictures to change"),
    transparent: z.boolean().default(false),
  }),
  output: z.object({
    files: z.array(z.string()),
    model: z.string(),
    revised_prompt: z.string().optional(),
  }),
  async run({ from, ...wanted }, context) {
    const pictures = await picturesOf(from, context);
    context.progress("Waiting for the picture");
    const made = await madeBy({ ...wanted, from: pictures }, context);
    const files = await Array.fromAsync(made.images.entries(), ([at, { media_type, data }]) => {
      const number = made.images.length > 1 ? `-${at + 1}` : "";
      const name = `${slug(wanted.prompt)}${number}.${ending[media_type] ?? "png"}`;
      return context.file({ name, media_type, data });
    });
    const { model, revised_prompt } = made;
    return { files, model, revised_prompt };
  },
});

async function madeBy(wanted: WantedImage, { makeImages }: Pick<ToolContext, "makeImages">) {
  try {
    return await makeImages(wanted);
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    if (error.code !== "not_configured")
      throw new SkillFailure(
        error.code,
        error.message,
        "Tell the person; other words may help where it was refused.",
      );
    throw new SkillFailure(
      "not_configured",
      `${error.message} An operator sets one up with OPENAI_API_KEY or XAI_API_KEY, or model.images for a server of their own.`,
      "Tell the person, and offer a diagram (diagram_draw) or a chart (chart_draw), which need no service.",
    );
  }
}

async function picturesOf(
  paths: readonly string[],
  { threadFiles }: ToolContext,
): Promise<NonNullable<WantedImage["from"]>> {
  return await Promise.all(
    paths.map(async (path) => {
      const { path: found, data } = await threadFiles.bytes(path);
      const name = fileNameOf(found);
      const media_type = types[name.slice(name.lastIndexOf(".") + 1).toLowerCase()];
      if (media_type === undefined)
        throw new SkillFailure(
          "no_picture",
          `${name} is not a picture that can be changed.`,
          "PNG, JPEG and WebP can.",
        );
      return { name, media_type, data };
    }),
  );
}

const diagram = definePart({
  name: "diagram_draw",
  title: "Drawing a diagram",
  description:
    "Draws a diagram - flow chart, architecture, org chart, icon - from an SVG that you write, and shows it to you.",
  effect: "idempotent",
  parameters: z.object({
    svg: z
      .string()
      .min(10)
      .max(200_000)
      .describe("with viewBox; text of 14 units or more; no scripts or fonts"),
    name: z.string().trim().min(1).max(80).default("diagram").describe("of the files"),
    width: z.number().int().min(100).max(2_000).default(1_000).describe("pixels"),
  }),
  output: z.object({ files: z.array(z.string()), notes: z.array(z.string()) }),
  async run({ svg, name, width }, context) {
    const drawn = await context.drawSvg(svg, width);
    if (!drawn.ok) throw new SkillFailure("not_drawn", drawn.problem, "Correct the SVG and call again.");
    const base = slug(name);
    const source = new TextEncoder().encode(drawn.svg);
    const files = [
      await context.file({ name: `${base}.png`, media_type: "image/png", data: drawn.png }),
      await context.file({ name: `${base}.svg`, media_type: "image/svg+xml", data: source }),
    ];
    return { files, notes: [...drawn.notes] };
  },
});

function slug(text: string): string {
  const plain = slugOf(text).toLowerCase();
  return plain.slice(0, 48).replace(/-[^-]*$/, (end) => (plain.length > 48 ? "" : end)) || "picture";
}

export const skill = defineSkillParts({ make, diagram });
