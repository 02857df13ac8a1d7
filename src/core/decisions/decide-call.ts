/**
 * Decides about each call of a tool: whether it runs without asking, and if not, who is asked and why. Text that a model reads can
 * manipulate it, so the rule depends on the call's effects and on who vouches for it, never on the model's statements. `decisionFor`
 * collects the facts of a call; `decideCall` is the rule. docs/security-details.md shows the rule as a table.
 */

import type { CallRequest, TurnScope } from "../scope/turn-scope.ts";
import type { Skill } from "../skill/skill.ts";
import { namedFor } from "../skill/skill-identifier.ts";
import type { ServerTool, Tool } from "../skill/tool.ts";
import { sharingReason } from "../transcript/audience.ts";
import { readArguments } from "../values/call-arguments.ts";
import { type Binding, bindCall, leadsNowhere } from "../values/call-binding.ts";
import {
  type ApprovalNeed,
  type ApprovalRule,
  type ApprovalRules,
  type Approver,
  isAtLeast,
  mayApprove,
  planOf,
  type ToolEffect,
  type Trust,
} from "../values/inbound.ts";
import type { Json } from "../values/json.ts";
import { isDirectMessage } from "../values/place.ts";
import { type AddressNeed, addressNeed } from "./known-addresses.ts";
import { definitionOf } from "./prevented-call.ts";
import {
  allowanceFor,
  type BoundCall,
  isPlanned,
  isStillAllowed,
  isTrusted,
  readStanding,
  readTrust,
  refusalFor,
  type StandingDecision,
} from "./standing-decisions.ts";

/** An approval request: the strictest approver of all needs, and all their reasons. */
export interface Asked {
  approver: Approver;
  /** The reason for the card, one sentence for each need. */
  reason: string;
  /** What "always here" and "never" would apply to; absent if every call asks. */
  binds?: Binding;
  /** Keys of web addresses that nobody named. */
  addresses?: readonly string[];
}

/** Who vouches for a tool, and what its calls could reach. */
export type CallOrigin =
  /** The bot's own tools and the shipped skills: their effects stay in the channel unless they declare otherwise. */
  | { kind: "shipped" }
  /** Code of a skill from elsewhere. `reach`: what it can reach outside, in words; undefined if nothing. */
  | { kind: "code"; reach: string | undefined }
  /** `acts`: its own steps change something. The calls it makes are decided separately. */
  | { kind: "flow"; acts: boolean }
  /** `trusted`: an operator allowed this tool, in its current form, to run without asking. */
  | { kind: "server"; tool: ServerTool; trusted: boolean };

/** All facts that the decision about a call depends on. */
export interface CallFacts {
  /** The name of the tool, and the id of its skill (empty for the bot's own tools). */
  tool: string;
  skill_id: string;
  origin: CallOrigin;
  effect: ToolEffect;
  risk: Skill["risk"] | undefined;
  /** The tool's own need for approval. */
  own?: ApprovalNeed | undefined;
  /** Further needs, e.g. because an address could carry data out. */
  more?: readonly ApprovalNeed[];
  /** The person the turn is for wrote this call, e.g. with `/skill run`. */
  by_person: boolean;
  /** Trust of that person. */
  trust: Trust;
  /** The call happens in a direct message. */
  direct: boolean;
  /** A trigger started the turn: nobody here vouches for its content, and nobody is watching. */
  triggered?: boolean;
}

/** Who has to approve a call and why; undefined if it runs without asking. */
export function decideCall(facts: CallFacts): Pick<Asked, "approver" | "reason"> | undefined {
  const open = needsOf(facts)
    .map(({ approver, reason }) => ({ approver: approverHere(approver, facts), reason }))
    .filter(({ approver }) => !(facts.by_person && hasSeenIt(facts.trust, approver)));
  const [first] = open;
  if (first === undefined) return undefined;
  const strictest = open.reduce(
    (most, { approver }) => (isAtLeast(approver, most) ? approver : most),
    first.approver,
  );
  return { approver: strictest, reason: [...new Set(open.map(({ reason }) => reason))].join(" ") };
}

function needsOf(facts: CallFacts): readonly ApprovalNeed[] {
  const { skill_id, effect, risk, own, more = [] } = facts;
  const isRisky = risk === "high" && effect !== "read_only";
  const reason = `The skill ${skill_id} is marked as high-risk.`;
  return [
    isRisky ? { approver: "operator" as const, reason } : undefined,
    own,
    needOfOrigin(facts),
    ...more,
  ].filter((need) => need !== undefined);
}

/** The need that follows from the tool's origin. */
function needOfOrigin({ origin, effect, skill_id, triggered = false }: CallFacts): ApprovalNeed | undefined {
  switch (origin.kind) {
    case "shipped":
      return undefined;
    case "code": {
      const { reach } = origin;
      if (reach === undefined || effect === "read_only") return undefined;
      const reason = `The code of the skill ${skill_id} did not ship with the bot, and it can reach ${reach}.`;
      return { approver: "asker", reason };
    }
    case "flow":
      if (!origin.acts) return undefined;
      return { approver: "asker", reason: `The flow ${skill_id} changes something outside of this channel.` };
    case "server":
      return needOfServer(origin, triggered);
    default:
      return origin satisfies never;
  }
}

/**
 * A hint is the server's own statement: it adds caution, and removes caution only if the operator configured the server. In a turn started
 * by a trigger, calls that otherwise run without asking need approval, because nobody is watching.
 */
function needOfServer(
  { tool, trusted }: CallOrigin & { kind: "server" },
  triggered: boolean,
): ApprovalNeed | undefined {
  const { server, own, hints, configured } = tool;
  const { effect, approver } = configured;
  if (approver === "none" && !triggered) return undefined;
  if (approver !== undefined && approver !== "none")
    return { approver, reason: `The bot's configuration requires approval for it at the server ${server}.` };
  if ((trusted && !triggered) || effect === "read_only") return undefined;
  if (hints.destructive === true) {
    const reason = `The server ${server} says that ${tool.tool} can delete or overwrite something.`;
    return { approver: "manager", reason };
  }
  if (own && hints.read_only === true && effect === undefined) return undefined;
  const why = triggered ? "a trigger began this turn" : "no operator has trusted it";
  const reason = `${tool.tool} may change something at the server ${server}, and ${why}.`;
  return { approver: "asker", reason };
}

/**
 * Replaces an approver who does not exist in the place. A direct message has no manager: its person may allow the skills they enabled for
 * themselves, but servers and flows are shared by everybody. A guest cannot confirm anything.
 */
function approverHere(
  approver: Approver,
  { origin, trust, direct }: Pick<CallFacts, "trust" | "direct"> & { origin: Pick<CallOrigin, "kind"> },
): Approver {
  const isOwn = origin.kind === "shipped" || origin.kind === "code";
  if (approver === "operator") return approver;
  if (approver === "asker") return trust !== "guest" ? approver : direct ? "operator" : "manager";
  if (!direct || trust === "manager" || trust === "operator") return approver;
  return isOwn && trust === "member" ? "asker" : "operator";
}

/** Whether a person who wrote the call themselves has thereby approved it. */
function hasSeenIt(trust: Trust, approver: Approver): boolean {
  if (trust === "operator") return true;
  return approver === "asker" || (approver === "manager" && trust === "manager");
}

/** The decision about a call that does not run without asking: ask somebody, or apply a standing decision. */
export type CallDecision = { kind: "ask"; asked: Asked } | { kind: "decided"; standing: StandingDecision };

/** The decision about this call in the channel's current state; undefined if nobody has to decide. */
export async function decisionFor(
  scope: TurnScope,
  request: CallRequest,
  tool: Tool,
  input: Json,
): Promise<CallDecision | undefined> {
  const { turn, ports } = scope;
  const skill = skillOf(scope, tool, input);
  const address = await addressNeed(scope, request, tool, input);
  const origin = await originOf(scope, tool, skill);
  const sharing = sharingNeed(scope, tool, origin, input);
  const args = readArguments(input, tool.open);
  const call = { request, skill_id: tool.skill_id, args, nowhere: leadsNowhere(args, tool.parameters) };
  const binds = await bindingOf(tool, skill, input, call, address);
  const standing = binds === undefined ? [] : await readStanding(ports.store, turn.place.namespace);
  const { id: asker, trust } = turn.author;
  const never = binds === undefined ? undefined : refusalFor(standing, binds, asker, turn.cause);
  const by_person = request.by_person === true;
  if (never !== undefined && !(by_person && hasSeenIt(trust, never.approver)))
    return { kind: "decided", standing: never };
  const { needs, tried } = rulesOn(ports.approvals, tool);
  const facts: CallFacts = {
    tool: tool.name,
    skill_id: skill?.id ?? tool.skill_id,
    origin,
    effect: tool.effect(input),
    risk: skill?.risk,
    own: ownNeed(tool, input),
    more: [address, sharing, ...needs].filter((need) => need !== undefined),
    by_person,
    trust,
    direct: isDirectMessage(turn.place.namespace),
    triggered: turn.cause?.kind === "trigger",
  };
  const decided = decideCall(facts);
  const withRule = (need: ApprovalNeed) =>
    decideCall({ ...facts, more: [...(facts.more ?? []), need] })?.approver;
  request.shadow = wouldAsk(tried, decided?.approver, withRule);
  if (decided === undefined) return undefined;
  const isBound = address === undefined && sharing === undefined;
  if (isBound && (await isGranted(scope, tool, skill, call, decided.approver))) return undefined;
  const asked = address === undefined ? decided : { ...decided, addresses: address.addresses };
  // A private turn asks each time before it shares something.
  if (binds === undefined || sharing !== undefined) return { kind: "ask", asked };
  const always = allowanceFor(standing, binds, { approver: decided.approver, asker, cause: turn.cause });
  return always !== undefined && (await isStillAllowed(scope, call, always))
    ? { kind: "decided", standing: always }
    : { kind: "ask", asked: { ...asked, binds: { ...binds, plan: planOf(turn.cause) } } };
}

/** The needs that the rules in force add to a call, and the rules in trial that name it. */
function rulesOn(rules: ApprovalRules, tool: Tool) {
  const found = namedFor(rules, tool);
  return {
    needs: found.flatMap(([name, { approver, shadow }]): ApprovalNeed[] =>
      shadow
        ? []
        : [{ approver, reason: `The bot's configuration requires approval for ${name} (skills.approvals).` }],
    ),
    tried: found.filter(([, { shadow }]) => shadow),
  };
}

/** The rules in trial that would have had somebody else asked than the rules in force do. */
function wouldAsk(
  tried: readonly (readonly [name: string, ApprovalRule])[],
  asked: Approver | undefined,
  decide: (need: ApprovalNeed) => Approver | undefined,
): string[] {
  return tried.flatMap(([name, { approver }]) => {
    const then = decide({ approver, reason: name });
    const isMore = then !== undefined && (asked === undefined || !isAtLeast(asked, then));
    return isMore ? [`${name}: ${then}`] : [];
  });
}

/**
 * The need that arises in a private turn because others could see the effect of the call: a tool that declares it, foreign code, or a
 * change at a server.
 */
function sharingNeed(
  { state }: TurnScope,
  tool: Tool,
  origin: CallOrigin,
  input: Json,
): ApprovalNeed | undefined {
  if (!state.private) return undefined;
  const shares =
    tool.shares === true ||
    origin.kind === "code" ||
    (origin.kind === "server" && tool.effect(input) !== "read_only");
  return shares ? { approver: "asker", reason: sharingReason } : undefined;
}

/**
 * Whether the maker of the turn's schedule agreed to the tool in its current form and to the call's destination, and may decide about it by
 * their own rank.
 */
async function isGranted(
  scope: TurnScope,
  tool: Tool,
  skill: Skill | undefined,
  call: BoundCall,
  approver: Approver,
): Promise<boolean> {
  const { turn, ports } = scope;
  if (turn.cause?.kind !== "schedule" || !mayApprove(turn.author, approver, turn)) return false;
  const granted = (await ports.schedules?.granted(turn.cause.id)) ?? [];
  const definition = definitionOf(tool, skill);
  const isNamed = granted.some(
    (each) => each.tool === tool.name && each.skill_id === tool.skill_id && each.definition === definition,
  );
  return isNamed && isPlanned(scope, call);
}

/** Who decides about requests that a call of this skill makes while it runs. */
export function approverWithin({ turn, offer }: TurnScope, skillId: string, approver: Approver): Approver {
  const { author, place } = turn;
  const kind = offer.all.get(skillId)?.skill.kind;
  const origin = { kind: kind === "mcp" ? "server" : kind === "flow" ? "flow" : "code" } as const;
  return approverHere(approver, { origin, trust: author.trust, direct: isDirectMessage(place.namespace) });
}

/** The skill that the tool belongs to, or whose code it runs. */
function skillOf({ offer }: TurnScope, tool: Tool, input: Json): Skill | undefined {
  const id = tool.runsCodeOf?.(input) ?? tool.skill_id;
  return id === "" ? undefined : offer.all.get(id)?.skill;
}

function ownNeed(tool: Tool, input: Json): ApprovalNeed | undefined {
  const own = tool.approval?.(input);
  if (typeof own !== "string") return own;
  return { approver: own, reason: `${tool.skill_id || tool.name} asks for this each time.` };
}

async function originOf({ ports }: TurnScope, tool: Tool, skill: Skill | undefined): Promise<CallOrigin> {
  if (tool.server !== undefined) {
    const trusted = isTrusted(tool.server, await readTrust(ports.store, tool.server.server));
    return { kind: "server", tool: tool.server, trusted };
  }
  if (skill?.kind === "flow") return { kind: "flow", acts: tool.acts ?? true };
  if (skill === undefined || skill.kind === "builtin" || skill.origin.source === "bundled")
    return { kind: "shipped" };
  return { kind: "code", reach: await reachOf(ports, skill) };
}

/** What a skill's code could reach outside its sandbox. */
async function reachOf({ grants, scripts }: TurnScope["ports"], skill: Skill): Promise<string | undefined> {
  const verdict = await scripts?.allows(skill);
  if (verdict?.ok === true && verdict.unconfined === true) return "everything that the bot can";
  const hosts = await grants.hostsOf(skill);
  return hosts.length === 0 ? undefined : hosts.join(", ");
}

/** Undefined if a standing decision could not identify the tool. */
async function bindingOf(
  tool: Tool,
  skill: Skill | undefined,
  input: Json,
  { args, nowhere }: BoundCall,
  address: AddressNeed | undefined,
): Promise<Binding | undefined> {
  const definition = definitionOf(tool, skill);
  if (definition === undefined) return undefined;
  const names = { skill_id: skill?.id ?? tool.skill_id, tool: tool.name, definition };
  return bindCall(names, input, { args, nowhere, open: tool.open, more: address?.binds });
}
