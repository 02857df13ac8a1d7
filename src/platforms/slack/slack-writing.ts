import type { PlatformWriting } from "../../core/chat-platform.ts";

/**
 * Slack renders the Markdown itself, in its `markdown` block: https://docs.slack.dev/reference/block-kit/blocks/markdown-block.
 * Mentions are neutralised in `outgoing-text.ts`.
 */
export const slackWriting: PlatformWriting = {
  name: "Slack",
  formatting:
    "Write standard Markdown, not Slack's own markup: **bold**, *italics*, ~~strikethrough~~, [links](https://example.com), lists, quotes, headings, inline code, code blocks and small tables are shown. Images become links. HTML, footnotes and formulas are shown as they are written.",
  mentions:
    "Nobody can be called from an answer: mentions such as <@U012AB3CD>, <!subteam^S012AB3CD>, @here, @channel and @everyone are shown as plain text. Write people's names instead.",
};
