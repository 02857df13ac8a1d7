import type { OpenZip } from "./open-zip.ts";
import { shownName } from "./opened-document.ts";
import { parseXml } from "./parse-xml.ts";

/** The parts that a part of an Office file lists by elements of this name, in their order (ECMA-376 part 1, 19.2.1.33, 18.2.19). */
export async function listedParts(
  zip: OpenZip,
  part: string,
  element: string,
): Promise<{ name: string; target: string }[]> {
  const targets = await relationships(zip, part);
  const found: { name: string; target: string }[] = [];
  await parseXml((await zip.text(part)) ?? "", {
    open(name, attributes) {
      const target = name === element ? targets.get(attributes["r:id"] ?? "")?.target : undefined;
      if (target !== undefined) found.push({ name: attributes.name ?? "", target });
    },
  });
  return found;
}

/** Parts that say how a document looks or how it was made. */
const form: readonly RegExp[] = [
  /(?:^|\/)(?:_rels|docProps|docMetadata|customXml|theme|fonts|persons|printerSettings|tags|META-INF|Thumbnails|Configurations2)\//i,
  /(?:^|\/)(?:slideLayouts|slideMasters|notesMasters|handoutMasters)\//i,
  /(?:styles|settings|fonttable|numbering|people|calcchain|metadata|props|tablestyles|\[content_types\]|meta)\.xml$/i,
  /(?:commentsExtended|commentsIds|commentsExtensible)\.xml$|manifest\.rdf$|layout-cache$|vmlDrawing|\.rels$/i,
];

/** Other parts, in the words of people. */
const kinds: readonly (readonly [part: RegExp, what: string])[] = [
  [/(?:^|\/)(?:media|pictures)\//i, "pictures"],
  [/(?:^|\/)(?:charts|chartsheets)\//i, "charts"],
  [/\/diagrams\//, "diagrams"],
  [/\/drawings\//, "drawings"],
  [/\/embeddings\/|^Object|^ObjectReplacements\//, "embedded objects"],
  [/vbaProject|^Basic\/|^Scripts\//, "macros"],
  [/comment/i, "comments"],
  [/\/pivot|\/queryTables\/|\/externalLinks\/|\/tables\/|\/slicer/, "settings of tables"],
];

/** What a document has beside the parts that are `read`: whatever is not known to be its form. */
export function unreadParts({ entries }: OpenZip, read: RegExp): string[] {
  const names = entries.map(({ name }) => name).filter((name) => !name.endsWith("/"));
  const unread = names.filter((name) => !read.test(name) && !form.some((each) => each.test(name)));
  const what = unread.map(
    (name) => kinds.find(([part]) => part.test(name))?.[1] ?? `the part ${shownName(name)}`,
  );
  return [...new Set(what)].slice(0, 10);
}

/** The targets of a part's relationships, by identifier, as names of entries; external ones are left out. */
export async function relationships(
  zip: OpenZip,
  part: string,
): Promise<ReadonlyMap<string, { target: string; type: string }>> {
  const folder = part.slice(0, part.lastIndexOf("/"));
  const found = new Map<string, { target: string; type: string }>();
  await parseXml((await zip.text(`${folder}/_rels${part.slice(folder.length)}.rels`)) ?? "", {
    open(name, { Id: id, Target: target, Type: type = "", TargetMode: mode }) {
      const path = URL.parse(target ?? "", `zip:/${folder}/`)?.pathname;
      if (name !== "Relationship" || id === undefined || path === undefined || mode === "External") return;
      found.set(id, { target: path.slice(1), type });
    },
  });
  return found;
}

/** DrawingML (ECMA-376 part 1, 21.1.2): paragraphs as lines, rows of tables as lines with bars. */
export async function drawnText(xml: string): Promise<string> {
  const parts: string[] = [];
  let inText = false;
  let inCell = false;
  // The slide number in its notes, dates and similar fields.
  let inField = false;
  await parseXml(xml, {
    open(name) {
      if (name === "t") inText = true;
      else if (name === "fld") inField = true;
      else if (name === "br") parts.push(inCell ? " " : "\n");
      else if (name === "tc") inCell = true;
    },
    close(name) {
      if (name === "t") inText = false;
      else if (name === "fld") inField = false;
      else if (name === "p") parts.push(inCell ? " " : "\n");
      else if (name === "tc") {
        inCell = false;
        parts.push("| ");
      } else if (name === "tr") parts.push("\n");
    },
    text(text) {
      if (inText && !inField) parts.push(text);
    },
  });
  return parts
    .join("")
    .replace(/\n{2,}/g, "\n")
    .trim();
}
