import { isAlias, isMap, isNode, LineCounter, parseDocument, visit, type YAMLMap } from "yaml";

/** A YAML text read as StrictYAML reads it: every scalar is text. Or the reason why StrictYAML refuses it. */
export type StrictYaml = { ok: true; value: unknown } | { ok: false; message: string };

/**
 * Reads YAML within the bounds of StrictYAML (hitchdev.com/strictyaml): no flow style, anchors, tags or duplicate keys, and
 * sibling mappings indented alike.
 */
export function parseStrictYaml(text: string): StrictYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, { schema: "failsafe", logLevel: "silent", lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) return { ok: false, message: error.message.split("\n")[0] ?? "" };
  let refused: string | undefined;
  visit(document, {
    Node(_, node) {
      refused = isNode(node) ? refusal(node, lines) : undefined;
      return refused === undefined ? undefined : visit.BREAK;
    },
    Alias() {
      refused = "anchors and aliases are not allowed";
      return visit.BREAK;
    },
  });
  if (refused !== undefined) return { ok: false, message: refused };
  return { ok: true, value: document.toJS() };
}

function refusal(node: object, lines: LineCounter): string | undefined {
  if (isAlias(node) || ("anchor" in node && node.anchor !== undefined))
    return "anchors and aliases are not allowed";
  if ("tag" in node && node.tag !== undefined) return "tags are not allowed";
  if ("flow" in node && node.flow === true) {
    return "flow style ({…} or […]) is not allowed; put the text in quotes or write the values on lines of their own";
  }
  return isMap(node) && isUneven(node, lines)
    ? "mappings beside each other are indented differently"
    : undefined;
}

function isUneven(map: YAMLMap, lines: LineCounter): boolean {
  const columns = map.items.flatMap(({ value }) => {
    const start = isMap(value) ? value.range?.[0] : undefined;
    return start === undefined ? [] : [lines.linePos(start).col];
  });
  return new Set(columns).size > 1;
}
