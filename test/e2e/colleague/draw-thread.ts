import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Surface } from "../../support/bot/platform-surface.ts";
import { drawPosts } from "./draw-posts.ts";
import type { Posted } from "./stage.ts";

/** With KNACK_PICTURES, a folder, draws there what a thread shows, and what one person alone was told. */
export async function drawThread(
  surface: Surface,
  thread: string,
  name: string,
  alone: readonly string[] = [],
) {
  const folder = process.env.KNACK_PICTURES ?? "";
  if (folder === "") return;
  const plain = { where: "general", top: false, calls: [], buttons: [], files: [] };
  const posts: Posted[] = [
    ...(await surface.shown(thread)).map((text) => ({ ...plain, text })),
    ...alone.map((text) => ({ ...plain, text, only: "who pressed" })),
  ];
  await writeFile(
    join(folder, `${surface.name}-${name}.png`),
    await drawPosts(`${surface.name}: ${name}`, posts),
  );
}
