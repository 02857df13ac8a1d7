/**
 * A mark of a chat template in a text: a special token (`<|name|>`, `<｜name｜>`, `<|name>`), an XML-like tag, or a bracket token
 * (`[NAME]`). Every template has its own, so they are known by their shape, and by a word in their names.
 */
export interface Mark {
  raw: string;
  /** Without signs and namespace: `function_calls` of `<｜DSML｜function_calls>`. */
  name: string;
  /** The value of `<name=value>` or `<name name="value">`. */
  value: string | undefined;
  /** Whether it is a special token, which is never part of prose or of a document. */
  isToken: boolean;
  /** Whether it closes another mark. */
  isEnd: boolean;
}

/** Maximum characters of a mark. */
const maxMark = 160;

/** What every mark begins with. */
export const markSign = /[<[◁]/;

const tag =
  /[<◁]([/|｜]{0,2})([A-Za-z][\w:.▁｜|-]*)(?:=([^<>\s=]+)|(?: [\w-]+=(?:"[^"<>\n]*"|'[^'<>\n]*'))+)? ?\/?[>▷]/y;
const bracket = /\[(\/?)([A-Z]+(?:_[A-Z]+)*)\]/y;
const begun =
  /^(?:[<◁][/|｜]{0,2}(?:[A-Za-z][\w:.▁｜|-]*)?(?:=[^<>\s=]*|(?: [\w-]+=(?:"[^"<>\n]*"|'[^'<>\n]*'))*(?: [\w-]*(?:=(?:"[^"<>\n]*|'[^'<>\n]*)?)?)?)? ?\/?|\[\/?[A-Z_]*)$/;
const nameAttribute = / name=["']([^"']*)["']/;
const endWord = /(?<![a-z])(?:end|eo[mst])(?![a-z])/i;

/** The mark at a place; `begun` if the text ends within what may become one. */
export function markAt(text: string, at: number): Mark | "begun" | undefined {
  const pattern = text[at] === "[" ? bracket : tag;
  pattern.lastIndex = at;
  const [raw, signs = "", name = "", direct] = pattern.exec(text) ?? [];
  if (raw === undefined) {
    return text.length - at < maxMark && begun.test(text.slice(at)) ? "begun" : undefined;
  }
  const closes = signs.includes("/") || (raw.endsWith("|>") && signs === "");
  return {
    raw,
    name: name.split(/[|｜]/).findLast((part) => part !== "") ?? "",
    value: raw.includes(" name=") ? nameAttribute.exec(raw)?.[1] : direct,
    isToken: /^\/?\|/.test(signs) || /[|｜]$/.test(name),
    isEnd: closes || endWord.test(name),
  };
}

/** The mark that closes this one in its template. */
export function endOf({ raw }: Mark): string {
  const at = raw.search(/[= ]/);
  const plain = at === -1 ? raw : `${raw.slice(0, at)}${raw.slice(-1)}`;
  const named = plain.replace(/start|begin/, "end").replace(/START|BEGIN/, "END");
  if (named !== plain) return named;
  if (!plain.startsWith("<|")) return `${plain.slice(0, 1)}/${plain.slice(1)}`;
  return plain.endsWith("|>") ? `<|/${plain.slice(2)}` : `<${plain.slice(2, -1)}|>`;
}

const call = /(?<![a-z])(?:tool|function|call|invoke|action)s?_?(?:call|use|code)?s?(?![a-z])/i;
const thought = /(?<![a-z])(?:think(?:ing)?|thoughts?|reason(?:ing)?|analysis|reflection)$/i;

/** Whether its name is that of a call. */
export function namesCall({ name }: Pick<Mark, "name">): boolean {
  return call.test(name);
}

/** Whether its name is that of reasoning. */
export function namesThought({ name }: Pick<Mark, "name">): boolean {
  return thought.test(name.replace(/[_▁]?(?:start|begin|end)$/i, ""));
}
