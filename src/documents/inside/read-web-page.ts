import { declaredCharset, decodeText, guessNote, textIn } from "../../base/decode-text.ts";
import { readablePage } from "../../html/readable-page.ts";
import {
  BoundedText,
  type OpenedDocument,
  type ReadDocument,
  UnreadableDocument,
} from "./opened-document.ts";

/** Elements whose content is not read. */
const elements: readonly (readonly [element: RegExp, what: string])[] = [
  [/<(?:img|svg|canvas|picture|video|audio)\b/i, "pictures"],
  [/<(?:input|select|textarea)\b/i, "form fields"],
  [/<(?:iframe|object|embed)\b/i, "embedded pages"],
];

/** An HTML file as Markdown, with visible text only. Nothing it refers to is fetched. */
export async function readWebPage({ data, limits }: OpenedDocument): Promise<ReadDocument> {
  const named = textIn(data, declaredCharset(data));
  const decoded = named === undefined ? decodeText(data) : { text: named, encoding: "", guessed: false };
  if (decoded === undefined) throw new UnreadableDocument("Its content is not HTML.");
  const page = await readablePage(decoded.text, "about:blank");
  const text = new BoundedText(limits.textCharacters);
  if (page.title !== "") text.line(`# ${page.title}\n`);
  text.add(page.text);
  const note = guessNote(decoded);
  const left_out = elements.flatMap(([element, what]) => (element.test(decoded.text) ? [what] : []));
  if (page.isArticle) left_out.push("what stands beside the article");
  return { text, left_out, note: note === undefined ? undefined : `It was ${note}.` };
}
