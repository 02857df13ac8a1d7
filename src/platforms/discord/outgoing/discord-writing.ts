import type { PlatformWriting } from "../../../core/ports/chat-platform.ts";
import { widestTable } from "./render-content.ts";

/** What `render-content.ts` and `message-body.ts` make of an answer. */
export const discordWriting: PlatformWriting = {
  name: "Discord",
  formatting: `Write Markdown: **bold**, *italics*, ~~strikethrough~~, [links](https://example.com), lists, quotes, headings of the first three levels, inline code and code blocks are shown. Tables are drawn in a code block; one wider than ${widestTable} characters becomes a list, so keep tables narrow. Images become links. HTML, footnotes, task lists and formulas are shown as they are written.`,
  mentions:
    "A mention notifies: <@123456789012345678> a person, <@&123456789012345678> a role. Write one only for those whom the message mentions, who asked, or whom the person confirmed, when they should be notified; others show a name without notifying, @everyone and @here are shown as plain text.",
};
