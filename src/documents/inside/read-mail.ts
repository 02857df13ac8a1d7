import type { Address, Attachment, Email } from "postal-mime";
import { formatBytes } from "../../base/amounts.ts";
import { readablePage } from "../../html/readable-page.ts";
import {
  BoundedText,
  type OpenedDocument,
  type ReadDocument,
  shownName,
  UnreadableDocument,
} from "./opened-document.ts";

/** Maximum attachments that are listed. */
const maxListed = 200;

/** An e-mail (RFC 5322) as its headers, its text and a list of its attachments. */
export async function readMail({ data, limits }: OpenedDocument): Promise<ReadDocument> {
  const mail = await parse(data);
  const text = new BoundedText(limits.textCharacters);
  for (const [name, value] of headers(mail)) {
    if (value !== "") text.line(`${name}: ${value.replace(/\s+/g, " ")}`);
  }
  text.line("");
  const body = mail.text?.trim() || (mail.html ? (await readablePage(mail.html, "about:blank")).text : "");
  text.line(body);
  if (mail.attachments.length > 0) text.line("\nAttachments, not read:");
  for (const attachment of mail.attachments.slice(0, maxListed)) text.line(attachmentLine(attachment));
  const hidden = mail.attachments.length - maxListed;
  if (hidden > 0) text.line(`and ${hidden} more`);
  const { length } = mail.attachments;
  return { text, left_out: length === 0 ? [] : [length === 1 ? "1 attachment" : `${length} attachments`] };
}

async function parse(data: Buffer): Promise<Email> {
  const { default: PostalMime } = await import("postal-mime");
  let mail: Email;
  try {
    mail = await PostalMime.parse(data, { maxNestingDepth: 50, maxHeadersSize: 1_000_000 });
  } catch {
    throw new UnreadableDocument("It is damaged, or nested too deeply, and cannot be read as an e-mail.");
  }
  if (mail.headers.length === 0) throw new UnreadableDocument("Its content is not an e-mail.");
  return mail;
}

function headers({ from, to, cc, date, subject }: Email): [string, string][] {
  return [
    ["From", from === undefined ? "" : address(from)],
    ["To", (to ?? []).map(address).join(", ")],
    ["Cc", (cc ?? []).map(address).join(", ")],
    ["Date", date ?? ""],
    ["Subject", subject ?? ""],
  ];
}

function address(address: Address): string {
  if (address.address === undefined) return `${address.name}: ${address.group.map(mailbox).join(", ")}`;
  return mailbox(address);
}

function mailbox({ name, address }: { name: string; address: string }): string {
  return name === "" || name === address ? address : `${name} <${address}>`;
}

function attachmentLine({ filename, mimeType, content }: Attachment): string {
  const bytes = typeof content === "string" ? content.length : content.byteLength;
  return `- ${shownName(filename ?? "without a name")} (${mimeType}, ${formatBytes(bytes)})`;
}
