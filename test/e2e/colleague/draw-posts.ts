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
  const type = { png: "image/png", gif: "image/gif", svg: "image/svg+xml" }[name.split(".").at(-1) ?? ""];
  return type === undefined || base64 === undefined
    ? ""
    : `<img src="data:${type};base64,${base64}" width="640">`;
}

function postHtml({ where, top, only, text, progress = "", buttons, files, data = [] }: Posted): string {
  const place = `${where}${top ? "" : ", in a thread"}${only === undefined ? "" : `, only ${only} sees this`}`;
  const words = marked.parse(escaped(text), { async: false });
  return `<article><small>${escaped(place)}</small><pre>${escaped(progress)}</pre>${words}${data.map(dataHtml).join("")}
    <p>${files.map((file) => `<code>${escaped(file)}</code>`).join(" ")}</p>
    <p>${buttons.map((label) => `<button>${escaped(label)}</button>`).join(" ")}</p></article>`;
}

interface DataBlock {
  type?: unknown;
  title?: string;
  caption?: string;
  rows?: readonly (readonly { text?: string }[])[];
  chart?: {
    series?: readonly { name: string; data: readonly { label: string; value: number }[] }[];
    segments?: readonly { label: string; value: number }[];
  };
}

/** A table or chart that the platform draws itself, as plainly as possible. */
function dataHtml(block: object): string {
  const { rows, caption = "", title = "", chart } = block as DataBlock;
  if (rows !== undefined) {
    const lines = rows.map(
      (row) => `<tr>${row.map(({ text = "" }) => `<td>${escaped(text)}</td>`).join("")}</tr>`,
    );
    return `<table><caption>${escaped(caption)}</caption>${lines.join("")}</table>`;
  }
  const series = chart?.series ?? [{ name: "", data: chart?.segments ?? [] }];
  const most = Math.max(...series.flatMap(({ data }) => data.map(({ value }) => value)), 1);
  const bars = series.flatMap(({ name, data }) =>
    data.map(({ label, value }) => {
      const width = Math.round((Math.max(0, value) / most) * 300);
      return `<div>${escaped(`${name} ${label}`)} <span style="width:${width}px"></span> ${value}</div>`;
    }),
  );
  return `<figure><figcaption>${escaped(title)}</figcaption>${bars.join("")}</figure>`;
}

const style = `body { font: 15px/1.4 sans-serif; margin: 16px } h1 { font-size: 17px }
article { border-left: 3px solid #bbb; padding-left: 12px; margin: 14px 0 } small { color: #666 }
td { border: 1px solid #ccc; padding: 2px 8px } caption { text-align: left; color: #666 }
figure span { display: inline-block; height: 12px; background: #1264a3 } p { margin: 6px 0 } a { color: #1264a3 }`;
