import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sharedBrowser } from "../browser.ts";
import type { DiscordServer } from "../discord/discord-server.ts";
import type { SlackServer } from "../slack/slack-server.ts";
import { discordHtml } from "./discord-html.ts";
import { slackHtml, viewHtml } from "./slack-html.ts";

/** Something a bot sent to a platform: a heading, and how it looks. */
export interface Shot {
  head: string;
  html: string;
}

/**
 * With KNACK_PICTURES, a folder: draws there everything a bot posted, edited, opened and showed, in order.
 * @param name of the test
 * @param drawn what an earlier picture had already
 */
export async function keepFilm(
  name: string,
  platform: "slack" | "discord",
  shots: () => Promise<Shot[]>,
  drawn: Set<string> = new Set(),
) {
  const folder = process.env.KNACK_PICTURES ?? "";
  if (folder === "") return;
  const taken = (await shots()).filter(({ head, html }) => !drawn.has(head + html));
  for (const { head, html } of taken) drawn.add(head + html);
  if (taken.length === 0) return;
  const page = await (await sharedBrowser()).newPage({ viewport: { width: 720, height: 200 } });
  const articles = taken.map(({ head, html }) => `<article><small>${head}</small>${html}</article>`);
  await page.setContent(`<style>${style}</style>${articles.join("")}`);
  const file = `${platform}-${name.replaceAll(/\W+/g, "-").slice(-90)}.png`;
  await writeFile(join(folder, file), await page.screenshot({ fullPage: true }));
  await page.close();
}

/** What Slack's fake was sent; the words for one person alone stand at the end, as they are now. */
export async function slackShots(slack: SlackServer): Promise<Shot[]> {
  const { all } = await slack.look();
  const sent = all.calls.flatMap(({ method, arguments: given, ok, error = "" }): Shot[] => {
    const head = [method, given.channel, given.thread_ts, ok ? "" : `REFUSED ${error}`]
      .filter(Boolean)
      .join(" ");
    if (/^views\./.test(method)) return [{ head, html: viewHtml(given.view) }];
    if (/^chat\.(?:post|update|startStream|stopStream)/.test(method))
      return [{ head, html: slackHtml({ text: "", ...given }) }];
    if (/^agents\.|setStatus|setTitle|setSuggestedPrompts|blocks\.validate/.test(method))
      return [{ head: `${head} ${JSON.stringify({ ...given, token: undefined })}`, html: "" }];
    return /^chat\.delete|^pins|^reactions/.test(method)
      ? [{ head: `${head} ${String(given.ts ?? given.name ?? "")}`, html: "" }]
      : [];
  });
  const streams = all.messages.filter(({ stream, gone }) => stream !== undefined && !gone);
  return [
    ...sent,
    ...streams.map((message) => ({ head: "at the end of the stream", html: slackHtml({ ...message }) })),
    ...all.ephemerals.map((each) => ({
      head: `only ${each.user} in ${each.channel}${each.shown ? "" : ", taken away"}`,
      html: slackHtml({ ...each }),
    })),
  ];
}

/** What Discord's fake was sent. */
export async function discordShots(discord: DiscordServer): Promise<Shot[]> {
  const calls = await discord.calls();
  return calls.flatMap(({ method, path, status, body }): Shot[] => {
    const given = (body ?? {}) as Record<string, unknown>;
    const data = (given.data ?? given) as Record<string, unknown>;
    const isShown = ["content", "components", "poll", "choices", "name"].some((key) => key in data);
    if (!isShown && method === "GET") return [];
    return [
      { head: `${method} ${path}${status < 400 ? "" : ` REFUSED ${status}`}`, html: discordHtml(data) },
    ];
  });
}

const style = `body { font: 15px/1.4 sans-serif; margin: 16px } small { color: #888; font-size: 11px; overflow-wrap: anywhere }
article { border-left: 3px solid #bbb; padding-left: 12px; margin: 14px 0 } p { margin: 4px 0 } .c { color: #666; font-size: 13px }
td { border: 1px solid #ccc; padding: 2px 8px } caption { text-align: left; color: #666 } .b { display: inline-block; border: 1px solid #99a; padding: 8px; border-radius: 6px; margin: 4px 0 }
i.e { color: #c00 } blockquote { border-left: 3px solid #ccc; margin: 4px 0; padding-left: 8px } pre { white-space: pre-wrap }`;
