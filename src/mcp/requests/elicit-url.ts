import type { ElicitRequestURLParams, ElicitResult } from "@modelcontextprotocol/client";
import type { ToolContext } from "../../core/skill/tool.ts";
import { quoted } from "../said-text.ts";

const opened = "I opened it";
const decline = "Decline";

/**
 * Shows the person an address that a server wants them to open, and its host. The bot never opens it, and learns nothing of what happens
 * there.
 */
export async function elicitUrl(
  server: string,
  { url: text, message }: ElicitRequestURLParams,
  context: Pick<ToolContext, "ask" | "progress">,
  key: string,
): Promise<ElicitResult> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !isShowable(url)) {
    context.progress(
      `${server} asked to open a page at an address that is not safe to open, so it was declined.`,
    );
    return { action: "decline" };
  }
  const question = [
    `The tool server *${server}* asks you to open a page at \`${url.host}\`:`,
    quoted(message, 1_500),
    `<${url.href}>`,
    `Open it only if you know ${url.host} and expect this. What you do there is between you and that page.`,
  ].join("\n\n");
  const said = await context.ask({ text: question, choices: [opened, decline, "Cancel"], key: `${key}.1` });
  const word = said.trim().toLowerCase();
  if (word === opened.toLowerCase()) return { action: "accept" };
  return { action: word === decline.toLowerCase() ? "decline" : "cancel" };
}

/** Without user information, which can imitate another host. Unencrypted only on this machine. */
function isShowable({ protocol, hostname, username, password, href }: URL): boolean {
  if (username !== "" || password !== "" || href.length > 2_000) return false;
  return (
    protocol === "https:" || (protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname))
  );
}
