import { mkdtemp, open, rm } from "node:fs/promises";
import type { LookupFunction } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Response } from "undici";
import { beginningOf } from "../base/markdown-text.ts";
import { readAtMost } from "../base/read-at-most.ts";
import { withoutInvisible } from "../base/text/invisible-text.ts";
import { type DocumentReader, type DocumentText, remarksOf } from "../core/ports/documents.ts";
import { type Web, WebError, type WebPage } from "../core/ports/web.ts";
import { createAddressPolicy, type Reach } from "./address-policy.ts";
import { nameOf } from "./create-download.ts";
import { extractPage } from "./extract-page.ts";
import {
  type FetchedText,
  type FetchLimits,
  guardedFetch,
  guardedRequest,
  receiveText,
} from "./guarded-fetch.ts";
import { mediaType } from "./response-text.ts";
import { tooLarge } from "./web-failure.ts";
import { shownUrl } from "./web-url.ts";

export interface WebOptions extends Reach {
  /** Time limit of one call, all redirects included, ms. */
  timeoutMs?: number;
  /** Maximum size of a body, unpacked. */
  maxBytes?: number;
  maxRedirects?: number;
  userAgent?: string;
  /** Resolves names; default: the system's resolver. */
  lookup?: LookupFunction;
  /** Reads documents found at an address instead of a page. Without it they are refused because they are not text. */
  documents?: DocumentReader;
}

/** Maximum text that `read` returns, characters. */
export const maxPageText = 200_000;

const accepted =
  "text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,application/json;q=0.8,*/*;q=0.5";

const noSignal = new AbortController().signal;

/** Guarded access to the web. Nothing is opened before the first call, and nothing stays open after one. */
export function createWeb(options: WebOptions): Web {
  const { documents } = options;
  const limits: FetchLimits = {
    policy: createAddressPolicy(options),
    timeoutMs: options.timeoutMs ?? 20_000,
    maxBytes: options.maxBytes ?? 5_000_000,
    maxRedirects: options.maxRedirects ?? 5,
    userAgent: options.userAgent ?? "Mozilla/5.0 (compatible; Knack/1.0)",
    lookup: options.lookup,
  };
  return {
    async fetch(url, request = {}) {
      const { url: final, status, headers, body } = await guardedFetch(url, request, limits);
      return { url: final.href, status, headers, body };
    },
    async read(url, options = {}) {
      const headers = { accept: accepted, "accept-language": "en, *;q=0.5" };
      const fetched = await guardedRequest(url, { ...options, headers }, limits, receivePage);
      if (fetched.status >= 400) throw httpError(fetched);
      if ("data" in fetched) return await documentPage(fetched, options.signal);
      return await pageOf(fetched, limits.timeoutMs, options.signal);
    },
  };

  async function receivePage(url: URL, response: Response): Promise<FetchedText | FetchedDocument> {
    const type = mediaType(response.headers.get("content-type") ?? "");
    const name = documentName(type, nameOf(url, response.headers.get("content-disposition")));
    if (documents === undefined || name === undefined) return receiveText(url, response, limits);
    const data = await readAtMost(response.body, limits.maxBytes, () => tooLarge(url, limits.maxBytes));
    return { url, status: response.status, name, data, documents };
  }
}

async function documentPage(fetched: FetchedDocument, signal = noSignal): Promise<WebPage> {
  const read = await readDocument(fetched, signal);
  if (!read.ok) throw new WebError("unsupported_content", `${shownUrl(fetched.url)}: ${read.problem}`);
  const remarks = remarksOf(read);
  const note = remarks === undefined ? "" : `\n\n[${remarks}]`;
  return cutPage({ url: fetched.url.href, title: fetched.name, text: `${read.text.trim()}${note}` });
}

async function pageOf(fetched: FetchedText, timeoutMs: number, signal?: AbortSignal): Promise<WebPage> {
  const url = fetched.url.href;
  const found = isHtml(fetched)
    ? await extractPage({ html: fetched.body, url }, Math.min(10_000, timeoutMs), signal)
    : { title: "", text: withoutInvisible(fetched.body) };
  const whole = found.text.trim();
  const title = found.title || (fetched.url.pathname.split("/").findLast((part) => part !== "") ?? "");
  return cutPage({ url, title: title === "" ? fetched.url.host : title, text: whole });
}

function cutPage({ url, title, text }: Omit<WebPage, "length">): WebPage {
  const cut = text.length > maxPageText;
  const note = `\n\n[Cut here: the first ${maxPageText} of ${text.length} characters.]`;
  return { url, title, text: cut ? beginningOf(text, maxPageText) + note : text, length: text.length };
}

function isHtml(fetched: FetchedText): boolean {
  if (fetched.mediaType === "text/html" || fetched.mediaType === "application/xhtml+xml") return true;
  return fetched.mediaType === "" && /^\s*(<!doctype html|<html[\s>])/i.test(fetched.body);
}

function httpError({ status, url }: Pick<FetchedText, "status" | "url">): WebError {
  return new WebError("http_error", `${shownUrl(url)} answered ${status}: ${meaning(status)}`);
}

function meaning(status: number): string {
  if (status === 401 || status === 403) return "it needs a login or refuses bots. Use another source.";
  if (status === 404 || status === 410) return "there is no such page. Check the address.";
  if (status === 429) return "it gets too many requests. Try again later.";
  if (status === 451) return "it is not available for legal reasons. Use another source.";
  if (status >= 500) return "the site has a problem. Try again later or use another source.";
  return "it refuses the request. Check the address.";
}

/** A file found at an address instead of a page. */
interface FetchedDocument {
  url: URL;
  status: number;
  name: string;
  data: Uint8Array;
  /** The reader for it. */
  documents: DocumentReader;
}

const named: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
  "application/vnd.oasis.opendocument.text": "odt",
  "application/vnd.oasis.opendocument.spreadsheet": "ods",
  "application/vnd.oasis.opendocument.presentation": "odp",
};

/** Generic types of files; for these, the name has to identify the format. */
const genericTypes = new Set([
  "",
  "application/octet-stream",
  "binary/octet-stream",
  "application/x-download",
]);

/** The file name of a document, with the ending of its format; undefined if neither type nor name identifies a document. */
function documentName(mediaType: string, name: string): string | undefined {
  const ending = named[mediaType];
  if (ending !== undefined) return name.toLowerCase().endsWith(`.${ending}`) ? name : `${name}.${ending}`;
  const isDocument = /\.(pdf|docx|xlsx|pptx|odt|ods|odp)$/i.test(name);
  return genericTypes.has(mediaType) && isDocument ? name : undefined;
}

/** The text of a document; it is on the disk only while it is read. */
async function readDocument(
  { name, data, documents }: FetchedDocument,
  signal: AbortSignal,
): Promise<DocumentText> {
  const folder = await mkdtemp(path.join(tmpdir(), "knack-page-"));
  try {
    const file = await open(path.join(folder, "document"), "wx+", 0o600);
    try {
      await file.writeFile(data);
      return await documents.read({ name, descriptor: file.fd }, signal);
    } finally {
      await file.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
