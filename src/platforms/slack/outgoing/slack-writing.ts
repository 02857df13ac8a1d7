import type { PlatformWriting } from "../../../core/ports/chat-platform.ts";

/**
 * Slack renders the Markdown itself, in its `markdown` block: https://docs.slack.dev/reference/block-kit/blocks/markdown-block.
 * Mentions of others than `OutgoingMessage.calls` are neutralised in `outgoing-text.ts`.
 */
export const slackWriting: PlatformWriting = {
  name: "Slack",
  formatting:
    "Write standard Markdown, not Slack's own markup: **bold**, *italics*, ~~strikethrough~~, [links](https://example.com), lists, quotes, headings, inline code, code blocks and small tables are shown. Images become links. HTML, footnotes and formulas are shown as they are written.",
  mentions:
    "A mention notifies: <@U012AB3CD> a person, <@&S012AB3CD> a user group. Write one only for those whom the message mentions, who asked, or whom the person confirmed, when they should be notified; others, @here, @channel and @everyone are shown as plain text.",
};
