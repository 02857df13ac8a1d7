import type { Transcript } from "../log/transcript.ts";
import { effortFor } from "../scope/chosen-model.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { forAgent } from "../skill/make-offer.ts";
import type { Offer, OfferedSkill } from "../skill/namespace-state.ts";
import { namesInWords } from "../values/json.ts";
import type { SystemMessage, ToolDefinition } from "../values/message.ts";
import { agentLine, pinnedFacts, placeInWords, type WhereText } from "../values/profile.ts";
import type { Redact } from "../values/redact.ts";
import type { Told } from "../values/told.ts";
import { guideFor, promptFor } from "./guides.ts";
import { activeSkills, agentsOf, definitionsNow, guidesOf } from "./opening.ts";

/** The difference between the channel and the state that a transcript has told: a message about it, and the resulting state. */
interface TranscriptChange {
  message: SystemMessage;
  told: Partial<Told>;
}

/** One difference: its text, and its effect on the told state. */
interface Difference {
  text: string;
  told: Partial<Told>;
}

/** The effort that models usually have by default. */
const commonEffort = "medium";

/**
 * Compares the channel with the state that the transcript has told. Secrets were removed from the transcript, so they do not count as a
 * difference. Undefined if there is none.
 */
export function changeSince(
  scope: TurnScope,
  transcript: Transcript,
  facts: readonly string[],
): TranscriptChange | undefined {
  const { told } = transcript;
  const { redact } = scope.ports;
  const wanted = effortFor(scope.ports, scope.namespace.settings, scope.turn.profile);
  // A model that was given an effort cannot be reset to its own default.
  const effort = wanted ?? (told.effort === undefined ? undefined : commonEffort);
  const list = listChange(told, forAgent(scope.namespaceOffer, scope.turn.profile), redact);
  const shown = {
    open: told.open.filter((id) => !transcript.offloaded.has(id)),
    unlisted: list?.told.unlisted ?? told.unlisted,
  };
  const wantedTools = definitionsNow(scope, scope.offer, shown, scope.turn.profile, transcript.tools);
  const tools = toolChange(transcript, wantedTools, redact);
  const differences = [
    agentChange(scope, told, redact),
    placeChange(told, redact(scope.turn.where)),
    list,
    activeChange(scope, told),
    factsChange(told, redact(facts)),
    told.effort === effort ? undefined : { text: "", told: { effort } },
    toolsInWords(tools, announced(scope)),
  ].filter((difference) => difference !== undefined);
  if (differences.length === 0) return undefined;
  const text = differences.map((difference) => difference.text).filter(Boolean);
  return {
    message: {
      role: "system",
      text: text.join("\n\n"),
      add: tools.add.length === 0 ? undefined : tools.add,
      remove: tools.remove.length === 0 ? undefined : tools.remove,
      effort: told.effort === effort ? undefined : effort,
    },
    told: Object.assign({}, ...differences.map((difference) => difference.told)),
  };
}

function agentChange(scope: TurnScope, told: Told, redact: Redact): Difference | undefined {
  const profile = scope.turn.profile;
  const agents = redact(agentsOf(profile, scope.turn.profiles));
  const others = Object.entries(agents).filter(([id]) => id !== profile.id);
  const fresh = others.filter(([id, description]) => told.agents[id] !== description);
  const isOther = profile.id !== told.agent;
  if (!isOther && fresh.length === 0) return undefined;
  const text = [
    ...(isOther ? [`You are ${profile.id} now; go on.`, promptFor(scope, profile)] : []),
    others.length === 0 ? "" : `You can ask with \`handoff\`: ${others.map(([id]) => id).join(", ")}.`,
    ...fresh.map(([id, description]) => agentLine(id, description)),
  ];
  const known = { ...told.agents, ...Object.fromEntries(fresh) };
  return { text: text.filter(Boolean).join("\n"), told: { agent: profile.id, agents: known } };
}

function placeChange(told: Told, where: WhereText): Difference | undefined {
  const { place, unnamed } = where;
  if (told.place === "") return { text: placeInWords(where), told: { place } };
  return unnamed === true || place === told.place
    ? undefined
    : { text: `This place is now ${place}.`, told: { place } };
}

/** Maximum new skills listed in one message; `list_skills` finds the others. */
const maxNewSkills = 20;

function listChange(told: Told, offer: Offer, redact: Redact): Difference | undefined {
  const lines = offer.lines(told.open);
  const unlisted = new Set(told.unlisted);
  const gone = Object.keys(told.skills).filter((id) => !lines.has(id));
  const changed = [...lines].filter(
    ([id, line]) =>
      told.skills[id] !== undefined && told.skills[id] !== line && told.skills[id] !== redact(line),
  );
  const added = [...lines].filter(([id]) => told.skills[id] === undefined && !unlisted.has(id));
  if (gone.length + changed.length + added.length === 0) return undefined;
  const shown = added.slice(0, maxNewSkills);
  const rest = added.slice(maxNewSkills).map(([id]) => id);
  const parts = [
    gone.length === 0 ? [] : [`No longer available here: ${gone.join(", ")}.`],
    changed.length === 0 ? [] : ["Skills that changed:", ...changed.map(([, line]) => line)],
    shown.length === 0 ? [] : ["New skills:", ...shown.map(([, line]) => line)],
    rest.length === 0 ? [] : [`${rest.length} more; find them with list_skills(query).`],
  ];
  const kept = Object.entries(told.skills).filter(([id]) => lines.has(id));
  return {
    text: parts.flat().join("\n"),
    told: {
      skills: Object.fromEntries([...kept, ...changed, ...shown]),
      ...(rest.length === 0 ? {} : { unlisted: [...told.unlisted, ...rest] }),
    },
  };
}

function activeChange(scope: TurnScope, told: Told): Difference | undefined {
  const { offer } = scope;
  const now = guidesOf(offer);
  const gone = Object.keys(told.active).filter((id) => now[id] === undefined);
  const fresh = activeSkills(offer).filter(({ skill }) => told.active[skill.id] !== now[skill.id]);
  if (gone.length + fresh.length === 0) return undefined;
  const lines = [
    ...(gone.length === 0 ? [] : [`Not active any more: ${gone.join(", ")}.`]),
    ...fresh.map((offered) => activation(scope, offered, told.active[offered.skill.id] !== undefined)),
  ];
  return { text: lines.join("\n"), told: { active: now } };
}

function activation(scope: TurnScope, { skill }: OfferedSkill, wasActive: boolean): string {
  const what = wasActive ? `The guide of ${skill.id} changed:` : `The skill ${skill.id} is active now:`;
  return `${what}\n${guideFor(scope, skill)}`;
}

function factsChange(told: Told, facts: readonly string[]): Difference | undefined {
  if (facts.length === told.facts.length && facts.every((fact, at) => fact === told.facts[at]))
    return undefined;
  const text =
    facts.length === 0 ? "No facts are pinned any more." : `Pinned facts are now:\n${pinnedFacts(facts)}`;
  return { text, told: { facts } };
}

interface ToolChange {
  add: ToolDefinition[];
  remove: string[];
}

/** A tool whose definition changed is removed and added. */
function toolChange({ tools }: Transcript, wanted: readonly ToolDefinition[], redact: Redact): ToolChange {
  const names = new Set(wanted.map(({ name }) => name));
  const add = wanted.filter((tool) => {
    const known = tools.get(tool.name);
    if (!isSame(known, tool) && !isSame(known, redact(tool))) return true;
    // Intentionally changes the transcript: the next comparison is then one of identity.
    tools.set(tool.name, tool);
    return false;
  });
  const changed = add.filter(({ name }) => tools.has(name)).map(({ name }) => name);
  return { add, remove: [...[...tools.keys()].filter((name) => !names.has(name)), ...changed] };
}

function isSame(known: ToolDefinition | undefined, tool: ToolDefinition): boolean {
  if (known === tool || known === undefined) return known === tool;
  return (
    known.description === tool.description &&
    (known.parameters === tool.parameters ||
      JSON.stringify(known.parameters) === JSON.stringify(tool.parameters))
  );
}

/** The tools of skills that calls of this turn have activated: the results of those calls name them. */
function announced({ offer, conversation }: TurnScope): ReadonlySet<string> {
  const byCall = (root: string) => conversation.activated.get(root) !== undefined;
  if (![...conversation.activated.keys()].some(byCall)) return new Set();
  return new Set([...offer.tools()].flatMap(([name, { roots }]) => (roots.some(byCall) ? name : [])));
}

function toolsInWords({ add, remove }: ToolChange, known: ReadonlySet<string>): Difference | undefined {
  const added = add.map(({ name }) => name);
  const gone = remove.filter((name) => !added.includes(name));
  const changed = added.filter((name) => remove.includes(name));
  const fresh = added.filter((name) => !remove.includes(name) && !known.has(name));
  const lines = [
    fresh.length === 0 ? "" : `Tools you can call from now on: ${namesInWords(fresh)}.`,
    changed.length === 0 ? "" : `Tools that changed: ${changed.join(", ")}.`,
    gone.length === 0 ? "" : `Tools that are gone, do not call them: ${gone.join(", ")}.`,
  ].filter(Boolean);
  return added.length + gone.length === 0 ? undefined : { text: lines.join("\n"), told: {} };
}
