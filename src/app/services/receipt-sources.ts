import { z } from "zod";
import { isContainer } from "../../base/record.ts";
import type { TurnEvent } from "../../core/log/turn-event.ts";
import type { TurnRecord } from "../../core/log/turn-log.ts";
import type { TurnView } from "../../core/log/turn-view.ts";
import type { StepView } from "../../core/log/turn-view-steps.ts";
import type { Chats } from "../../core/ports/chat-platform.ts";
import { readAddress } from "../../core/values/address.ts";
import type { Json } from "../../core/values/json.ts";
import type { TurnLine } from "./turn-audit.ts";

/** Something that a turn read. */
export const source = z.object({
  kind: z
    .enum(["page", "result", "message", "file"])
    .describe("an address that was asked for, a result of a search, a message or a file that was read"),
  title: z.string(),
  link: z.string().optional(),
});
export type Source = z.output<typeof source>;

/** Maximum sources, and links to messages of the thread. */
const maxSources = 200;
const maxLinks = 20;

/** A part of a receipt. `from`: the namespaces that it tells something about, other than the turn's. */
export interface Part<T> {
  value: T;
  from: readonly string[];
}

/** What was read with the message: the thread so far, and its files. */
export async function heardIn(
  { namespace, thread }: TurnRecord,
  events: readonly TurnEvent[],
  actionsOf: Chats["actions"],
): Promise<Part<Source>[]> {
  const context = events.findLast((event) => event.type === "context_read");
  const heard = (context?.thread ?? []).slice(-maxSources);
  const messages = heard.map(async ({ by, id }, at): Promise<Source> => {
    const isLinked = id !== undefined && heard.length - at <= maxLinks;
    const link = isLinked ? actionsOf(namespace)?.link(namespace, id, thread) : undefined;
    return { kind: "message", title: by, link: (await link?.catch(() => undefined)) || undefined };
  });
  const files = (context?.files ?? [])
    .filter(({ problem }) => problem === undefined)
    .map(({ name }): Source => ({ kind: "file", title: name }));
  return [...(await Promise.all(messages)), ...files].map((value) => ({ value, from: [] }));
}

/** What the calls read that had no effect: addresses in their arguments, and what their results link to. */
export function sourcesOf(
  { steps }: TurnView,
  lines: readonly TurnLine[],
  readIn: ReadonlyMap<string, readonly string[]>,
): Part<Source>[] {
  const acted = new Set(lines.map(({ call_id }) => call_id));
  const found = new Map<string, Part<Source>>();
  for (const step of steps) {
    if (step.state !== "ok" || acted.has(step.call_id)) continue;
    for (const value of sourcesIn(step)) {
      const key = value.link ?? `${value.kind} ${value.title}`;
      if (!found.has(key)) found.set(key, { value, from: readIn.get(step.call_id) ?? [] });
    }
  }
  return [...found.values()].slice(0, maxSources);
}

function sourcesIn({ tool, input, output = null }: StepView): Source[] {
  const pages = textsIn(input)
    .filter((text) => readAddress(text) !== undefined)
    .map((link): Source => ({ kind: "page", title: link, link }));
  const path = tool === "read_file" && isContainer(input) && "path" in input ? input.path : undefined;
  const files: Source[] = typeof path === "string" ? [{ kind: "file", title: path }] : [];
  return [...pages, ...files, ...linkedIn(output)];
}

/** The objects of a result that have an address: `url` of pages, `link` of messages. */
function linkedIn(value: Json): Source[] {
  if (!isContainer(value)) return [];
  const own = Array.isArray(value) ? [] : linkedObject(value);
  return [...own, ...Object.values(value).flatMap(linkedIn)];
}

function linkedObject({ url, link, title, from, channel }: { [key: string]: Json }): Source[] {
  if (typeof link === "string" && readAddress(link) !== undefined) {
    const where = typeof channel === "string" && channel !== "" ? ` in #${channel}` : "";
    return [{ kind: "message", title: `${typeof from === "string" ? from : "a message"}${where}`, link }];
  }
  if (typeof url !== "string" || readAddress(url) === undefined) return [];
  return [{ kind: "result", title: typeof title === "string" && title !== "" ? title : url, link: url }];
}

function textsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  return isContainer(value) ? Object.values(value).flatMap(textsIn) : [];
}
