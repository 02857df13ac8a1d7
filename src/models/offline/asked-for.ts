import type { RequestText } from "./request-text.ts";

/**
 * Tools that change something, or whose arguments rarely fit into a sentence. The rules use such a tool only for a message that begins
 * or reads like its pattern; a shared verb is not enough.
 */
const wording: readonly (readonly [tool: string, asks: Pick<RegExp, "test"> | undefined])[] = [
  ["memory_remember", /^(?:remember|memori[sz]e|keep in mind|note (?:that|down|:)|merke?\b|notiere)/],
  ["memory_forget", /^(?:forget|unlearn|vergiss) (?!it\b|that$|this$|about it\b|me\b|everything\b|all\b)/],
  ["memory_learn", /^learn\b/],
  ["schedule_add", /^(?:remind|erinner|do ?n[o'’]t let (?:me|us) forget|ping (?:me|us)\b)/],
  [
    "schedule_list",
    /^(?:what|which|list|show|any|are there|do (?:i|we) have)\b.*\b(?:reminders?|schedules?|scheduled|planned|triggers?)\b/,
  ],
  ["schedule_change", undefined],
  ["schedule_add_trigger", undefined],
  ["chat_read", inOrder(/\b(?:read|show|list)\b/, /\b(?:channels?|thread|messages)\b/)],
  ["chat_search", inOrder(/\b(?:search|find)\b/, /\b(?:channel|messages|talked|said)\b/)],
  ["chat_people", inOrder(/\b(?:who|find|search)\b/, /\b(?:people|person|member|channel)\b/)],
  ["chat_act", undefined],
  ["chat_mention", undefined],
  ["chat_send", undefined],
  ["document_write", undefined],
  ["picture_make", undefined],
  ["diagram_draw", undefined],
  ["chart_draw", undefined],
];

/** Tools of shipped skills that are not named after their skill. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  "channel-summary": ["channel_summarize"],
  "code-execution": ["code_execute"],
  "code-generation": ["code_generate"],
  "data-visualization": ["chart_draw"],
  "document-summarizer": ["document_summarize"],
  "image-generation": ["picture_make", "diagram_draw"],
  "simple-writing": ["document_write"],
  "task-planning": ["task_plan"],
  "text-analyzer": ["text_analyze"],
  "web-scraping": ["web_read"],
};

/** Whether a tool belongs to a skill, by its name. Tools of a server begin with the server's name. */
export function isToolOf(skillId: string, tool: string): boolean {
  const flat = (name: string) => name.replace(/[^a-zA-Z0-9]/g, "_").toLowerCase();
  const id = flat(skillId.replace(/^mcp_/, ""));
  return `${flat(tool)}_`.startsWith(`${id}_`) || otherNames[skillId]?.includes(tool) === true;
}

/** Whether a line has both patterns, in this order. */
function inOrder(first: RegExp, then: RegExp): Pick<RegExp, "test"> {
  const has = (line: string) => {
    const at = line.search(first);
    return at >= 0 && then.test(line.slice(at));
  };
  return { test: (text) => text.split("\n").some(has) };
}

const polite = /^(?:please|bitte|hey|hi|ok(?:ay)?|knack|(?:can|could|would|will) you(?: please)?)[\s,]+/;

/** Whether a message explicitly asks for a tool. Tools outside the list need no explicit request. */
export function isAskedFor(tool: string, { whole }: RequestText): boolean {
  const known = wording.find(([name]) => name === tool);
  return known === undefined || known[1]?.test(command(whole)) === true;
}

/** The tools that a message explicitly asks for; all tools if it asks for none. */
export function toolsAskedFor<T extends { name: string }>(
  tools: readonly T[],
  request: RequestText,
): readonly T[] {
  const asked = tools.filter(
    ({ name }) => wording.some(([tool]) => tool === name) && isAskedFor(name, request),
  );
  return asked.length > 0 ? asked : tools;
}

/** Whether rules can use a skill for any message. */
export function canFollow(id: string): boolean {
  const own = wording.filter(([name]) => isToolOf(id, name));
  return own.length === 0 || own.some(([, asks]) => asks !== undefined);
}

/** Whether any tool of a skill may be used for a message. */
export function mayUseSkill(id: string, request: RequestText): boolean {
  const own = wording.filter(([name]) => isToolOf(id, name));
  return own.length === 0 || id === "memory" || own.some(([name]) => isAskedFor(name, request));
}

/** Whether a message asks about an ability, such as `Can you read PDFs?`, without material to use it on. */
export function asksForAbility({ whole, urls, payload }: RequestText): boolean {
  return (
    urls.length === 0 &&
    payload === undefined &&
    /^(?:can|could|do|are) you (?:able to )?(?:also )?(?:read|see|hear|speak|understand|search|browse|open|write|draw|code|translate|calculate|summari[sz]e|make)(?: (?!this\b|that\b|my\b|me\b)[\p{L}'’-]+){0,3}\s*\?$/iu.test(
      whole,
    )
  );
}

/** The beginning of a message in lower case, without polite words. */
function command(whole: string): string {
  let text = whole.slice(0, 300).toLowerCase().trim();
  for (let at = 0; at < 3; at += 1) text = text.replace(polite, "");
  return text;
}
