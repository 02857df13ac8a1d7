import type { JsonSchema } from "../../core/values/json.ts";
import { SchemaPlace } from "./schema-walk.ts";

/** What is open: an object whose next name is `place`'s property, or a list. */
interface Open {
  isList: boolean;
  isName: boolean;
  place: SchemaPlace;
  /** Of the value that comes next. */
  inside: SchemaPlace;
}

/**
 * The JSON text of a call's arguments with other names of the properties that a schema declares, wherever they are in it. Everything
 * else stays as it is written, character by character. Text that is not JSON is read as far as it goes.
 * @param schema of the tool, with its own names
 * @param ownName the tool's own name of a property
 * @param newName the name it gets, by its own
 */
export function renamedArguments(
  text: string,
  schema: JsonSchema,
  ownName: (name: string) => string,
  newName: (own: string) => string,
): string {
  const open: Open[] = [];
  const parts: string[] = [];
  let copied = 0;
  const renamed = (around: Open, name: string): string => {
    const own = around.place.declares(name) ? name : ownName(name);
    const isDeclared = around.place.declares(own);
    around.inside = around.place.property(isDeclared ? own : name);
    return isDeclared ? newName(own) : name;
  };
  for (let at = 0; at < text.length; at += 1) {
    const around = open.at(-1);
    if (text[at] !== '"') {
      step(open, text[at], () => SchemaPlace.of(schema));
      continue;
    }
    const end = endOfString(text, at);
    if (around?.isName === true) {
      const name = read(text.slice(at, end));
      const sent = renamed(around, name);
      if (sent !== name) {
        parts.push(text.slice(copied, at), JSON.stringify(sent));
        copied = end;
      }
    }
    at = end - 1;
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(copied);
}

function step(open: Open[], sign: string | undefined, root: () => SchemaPlace): void {
  const around = open.at(-1);
  if (sign === "{" || sign === "[") {
    const place = around?.inside ?? root();
    const isList = sign === "[";
    open.push({ isList, isName: !isList, place, inside: isList ? place.items() : place });
  } else if (sign === "}" || sign === "]") open.pop();
  else if (sign === ":" && around !== undefined) around.isName = false;
  else if (sign === "," && around !== undefined) around.isName = !around.isList;
}

/** The place behind a string's last quotation mark. */
function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** A string's value; of one that is no JSON what is between its marks. */
function read(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}
