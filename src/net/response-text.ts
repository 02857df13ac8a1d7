import { declaredCharset, decodeText, markedUtf16, namedCharset, textIn } from "../base/decode-text.ts";
import { readAtMost } from "../base/read-at-most.ts";
import { WebError } from "../core/ports/web.ts";
import { tooLarge } from "./web-failure.ts";
import { shownUrl } from "./web-url.ts";

/** The parts of a response needed to read its text. `body` is already unpacked. */
export interface TextSource {
  url: URL;
  /** The content-type header, empty when absent. */
  contentType: string;
  body: AsyncIterable<Uint8Array> | null;
}

/** The media type of a content-type header, lower case without parameters. */
export function mediaType(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

const textual =
  /^(text\/.+|application\/(json|xml|xhtml\+xml|javascript|ecmascript|x-javascript|x-ndjson|ndjson|yaml|x-yaml|toml|x-www-form-urlencoded|graphql|sql|rtf)|.+\+(json|xml|yaml))$/;

/**
 * The body as text: refused if it is binary, cut off with an error above `maxBytes` unpacked bytes.
 * @throws WebError `unsupported_content`, `too_large`
 */
export async function readText(source: TextSource, maxBytes: number): Promise<string> {
  const type = mediaType(source.contentType);
  if (type !== "" && !textual.test(type)) throw binary(source.url, type);
  const bytes = await readAtMost(source.body, maxBytes, () => tooLarge(source.url, maxBytes));
  const charset = charsetOf(bytes, source.contentType);
  if (charset?.startsWith("utf-16") !== true && bytes.subarray(0, 1024).includes(0)) {
    throw binary(source.url, type === "" ? "binary data" : `${type} with binary data`);
  }
  // Without a known one, judged from the bytes.
  return textIn(bytes, charset) ?? decodeText(bytes)?.text ?? new TextDecoder("windows-1252").decode(bytes);
}

/** Browsers' order: byte order mark, header, declaration in the document's beginning. Undefined if none of them says. */
function charsetOf(bytes: Uint8Array, contentType: string): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  return markedUtf16(bytes) ?? namedCharset(contentType) ?? declaredCharset(bytes);
}

function binary(url: URL, type: string): WebError {
  return new WebError(
    "unsupported_content",
    `${shownUrl(url)} is ${type}, not text. Only pages, plain text, JSON and XML can be read; look for an HTML version.`,
  );
}
