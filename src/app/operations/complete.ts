import type { Services } from "./services.ts";

/** A completion of a slash command being typed. */
export interface Completion {
  /** The whole text after accepting it. */
  text: string;
  label: string;
  description: string;
}

/** What shows what there is of each kind: first, before anything is typed. */
const overviews: ReadonlySet<string> = new Set(["skill list", "agent status", "flow list", "mcp list"]);

/** Completions of a text that begins with `/`, best first. */
export async function complete(services: Services, text: string, namespace: string): Promise<Completion[]> {
  const commands = services.commands.filter(({ partOf }) => partOf === undefined);
  const typed = text.replace(/^[/／]/, "").toLowerCase();
  const command = commands.find(({ name }) => typed.startsWith(`${name} `));
  if (command === undefined) {
    const fitting = commands.filter(({ name }) => name.startsWith(typed));
    if (typed === "")
      fitting.sort((one, other) => Number(overviews.has(other.name)) - Number(overviews.has(one.name)));
    return fitting.map(({ name, usage, description }) => ({
      text: `/${name}${usage === "" ? "" : " "}`,
      label: `/${[name, usage].filter(Boolean).join(" ")}`,
      description,
    }));
  }
  const word = typed.slice(command.name.length + 1);
  if (/\s/.test(word)) return [];
  const values = (await command.complete?.(services, namespace)) ?? [];
  const ranked = values.filter((value) => value.text.toLowerCase().includes(word));
  ranked.sort(
    (a, b) => Number(b.text.toLowerCase().startsWith(word)) - Number(a.text.toLowerCase().startsWith(word)),
  );
  return ranked.slice(0, 12).map((value) => ({
    text: `/${command.name} ${value.text}`,
    label: value.text,
    description: value.description,
  }));
}
