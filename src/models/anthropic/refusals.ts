import type { Abilities } from "./models.ts";

/** As servers refuse to be told how to show thinking, or to be told to think. */
const displayRefused =
  /thinking(?:\.adaptive)?\.display|'display'|\bthinking: (?:extra|input|unknown)|adaptive thinking is not|thinking\.type|unsupported parameter: 'thinking/i;

/** Words by which servers name what they refuse, the most telling first. The first that turns something off counts. */
const refusals: readonly { names: RegExp; off: Partial<Abilities> }[] = [
  { names: /thinking-display-updates|display: input should be|'updates'/i, off: { display: "summarized" } },
  { names: displayRefused, off: { display: undefined } },
  { names: /mid-conversation-output-config|messages\.\d+\.output_config/, off: { effortChange: false } },
  { names: /inline-tools|mid-conversation|defer_loading/, off: { inline: false } },
  { names: /tool_addition|tool_removal|tool_reference|tool_name_conflict/, off: { inline: false } },
  // A system message where the server wants none: Anthropic's words, pydantic's, and those of chat templates.
  {
    names:
      /\brole\W+system\b|unexpected role|messages(?:\.\d+)?\.role\b|'user' or 'assistant'|roles must alternate/i,
    off: { inline: false },
  },
  { names: /anthropic-beta|\bbetas?\b/i, off: { inline: false, effortChange: false } },
  { names: /\beffort\b|output_config(?!\.format)/, off: { efforts: [], effortChange: false } },
  { names: /\bttl\b|extended-cache/, off: { hourCache: false } },
];

/** What to turn off after a server refused a request. Undefined when it refused something else, or what was not asked for. */
export function refusedAbilities(asked: Abilities, error: unknown): Partial<Abilities> | undefined {
  const text = badRequest(error);
  if (text === undefined) return undefined;
  return refusals.find(({ names, off }) => names.test(text) && changes(asked, off))?.off;
}

function changes(asked: Abilities, off: Partial<Abilities>): boolean {
  return (Object.keys(off) as (keyof Abilities)[]).some((ability) => {
    const now = asked[ability];
    if (ability === "display" && now === undefined) return false;
    return Array.isArray(now) ? now.length > 0 : now !== off[ability];
  });
}

/**
 * Whether a server refused thinking that was sent back: the conversation before it changed, or another model or account
 * wrote it ("Invalid `signature` in `thinking` block", "`thinking` blocks … cannot be modified").
 */
export function refusesThinking(error: unknown): boolean {
  const text = badRequest(error) ?? "";
  return /signature/.test(text) || (/thinking/.test(text) && !displayRefused.test(text));
}

/** What the server said against the request, the whole body of its answer. Undefined for any other failure. */
function badRequest(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("status" in error)) return undefined;
  return error.status === 400 || error.status === 422 ? error.message : undefined;
}
