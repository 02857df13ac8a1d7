import { marked } from "marked";
import { sharedBrowser } from "../../support/browser.ts";
import type { FetchedFile } from "../../support/surfaces/chat-surface.ts";
import type { Posted } from "./stage.ts";

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A picture of what was posted, PNG: where, for whom, the words, what can be pressed, and the files. */
export async function drawPosts(
  title: string,
  posts: readonly Posted[],
  files: readonly FetchedFile[] = [],
): Promise<Uint8Array> {
  const page = await (await sharedBrowser()).newPage({ viewport: { width: 720, height: 200 } });
  await page.setContent(
    `<style>${style}</style><h1>${escaped(title)}</h1>${posts.map(postHtml).join("")}${files.map(pictureHtml).join("")}`,
  );
  const png = await page.screenshot({ fullPage: true });
  await page.close();
  return png;
}

/** Pictures stand in the thread as they are. */
function pictureHtml({ name, base64 }: FetchedFile): string {
  const type = { png: "image/png", svg: "image/svg+xml" }[name.split(".").at(-1) ?? ""];
  return type === undefined || base64 === undefined
    ? ""
    : `<img src="data:${type};base64,${base64}" width="640">`;
}

function postHtml({ where, top, only, text, progress = "", buttons, files }: Posted): string {
  const place = `${where}${top ? "" : ", in a thread"}${only === undefined ? "" : `, only ${only} sees this`}`;
  const words = marked.parse(escaped(text), { async: false });
  return `<article><small>${escaped(place)}</small><pre>${escaped(progress)}</pre>${words}
    <p>${files.map((file) => `<code>${escaped(file)}</code>`).join(" ")}</p>
    <p>${buttons.map((label) => `<button>${escaped(label)}</button>`).join(" ")}</p></article>`;
}

const style = `body { font: 15px/1.4 sans-serif; margin: 16px } h1 { font-size: 17px }
article { border-left: 3px solid #bbb; padding-left: 12px; margin: 14px 0 } small { color: #666 }
p { margin: 6px 0 } a { color: #1264a3 }`;
