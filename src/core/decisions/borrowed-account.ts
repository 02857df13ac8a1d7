/**
 * Whose account a call uses at a server where people connect their own. It is the asker's; if they have none, it may be that of a person
 * whom they mention, or who allowed it before: an approval that only the owner of the account can give.
 */

import { isRecord } from "../../base/record.ts";
import { saidIn } from "../scope/turn.ts";
import type { TurnScope } from "../scope/turn-scope.ts";
import { type Decided, failure, type ServerTool, type Tool, type ToolResult } from "../skill/tool.ts";
import type { Binding } from "../values/call-binding.ts";
import { WaitingForPerson } from "../values/failure.ts";
import type { Json } from "../values/json.ts";
import { isDirectMessage, personKey } from "../values/place.ts";
import { approveWithin } from "./approval.ts";
import { notApproved } from "./not-approved.ts";
import { allowanceFor, readStanding, refusalFor, type StandingDecision } from "./standing-decisions.ts";

/** The person whose account a call uses, by platform id. */
interface AccountOwner {
  id: string;
  name: string;
}

/** `owner` is absent for the asker's own account, connected or not. */
type Account = { owner?: AccountOwner } | { refused: ToolResult } | "waiting";

const action = "use_account";

/** How long an owner can allow the use of their account, ms; `alwaysLabel` names it. */
const lentMs = 7 * 86_400_000;

/** Whose account a call uses. Asks the owner, or looks up their decision. The same result when the call is run again. */
export async function accountFor(
  scope: TurnScope,
  callId: string,
  tool: Tool,
  input: Json,
): Promise<Account> {
  const { server, isConnected } = tool;
  const { turn, ports } = scope;
  const { namespace } = turn.place;
  if (server === undefined || isConnected === undefined) return {};
  const has = ({ id }: { id: string }) => isConnected(personKey(namespace, id));
  // Nobody here vouches for what a trigger brings.
  if (turn.cause?.kind === "trigger" || (await has(turn.author))) return {};
  const standing = await readStanding(ports.store, namespace, ports.clock.now());
  for (const owner of [...mentionedIn(scope), ...lendersTo(turn.author.id, standing, server)])
    if (await has(owner)) return borrow(scope, { callId, tool, server, input, owner, standing });
  return {};
}

function mentionedIn({ turn }: TurnScope): AccountOwner[] {
  return (turn.mentions ?? []).filter(({ kind, id }) => kind === "person" && id !== turn.author.id);
}

/** Those who lend this person their account at a server. */
function lendersTo(
  borrower: string,
  standing: readonly StandingDecision[],
  { server }: ServerTool,
): AccountOwner[] {
  const isFor = ({ verdict, only_for, binding }: StandingDecision) =>
    verdict === "always" && only_for === borrower && isLoan(binding) && binding.values.server === server;
  return standing.filter(isFor).map(({ by, name }) => ({ id: by, name }));
}

/** Whether a standing decision is about somebody's account. No call of a tool has such a binding. */
export function isLoan({ skill_id, tool }: Binding): boolean {
  return skill_id === "" && tool === action;
}

interface Wanted {
  callId: string;
  tool: Tool;
  server: ServerTool;
  input: Json;
  owner: AccountOwner;
  standing: readonly StandingDecision[];
}

async function borrow(scope: TurnScope, wanted: Wanted): Promise<Account> {
  const { callId, tool, server, input, owner } = wanted;
  const { turn, state, ports } = scope;
  const { author, place } = turn;
  const account = `${owner.name} (${owner.id})`;
  const values = { server: server.server, account, for: `${author.name} (${author.id})` };
  const until = ports.clock.now() + lentMs;
  const binds = { skill_id: "", tool: action, definition: server.host ?? "", values, until };
  const where = { callId: `${callId}/approval:account`, skillId: tool.skill_id, binds };
  const wasAsked = state.approvals.has(where.callId);
  const known = decidedBefore(scope, wanted, where);
  if (known !== undefined && !wasAsked) return known;
  const isAside = state.private || isDirectMessage(place.namespace);
  const request = saidIn(turn);
  try {
    const decided = await approveWithin(scope, where, {
      action,
      person: { ...owner, deed: `use your account at “${server.server}” for ${author.name}` },
      label: `the account of ${owner.name} at ${server.server}`,
      says: {
        deed: `use the account of ${owner.name} at “${server.server}” for ${author.name}`,
        quotes: "request",
        names: ["account", "server", "for"],
      },
      // What somebody wrote in private is not shown to others.
      input: {
        ...(isAside || request === "" ? {} : { request }),
        ...callOf(server.tool, input, values),
        ...values,
      },
      reason: `${author.name} has no account there. What it answers is shown ${isAside ? `to ${author.name}` : "where it was asked"}.`,
      approver: "asker",
    });
    return decided.approved ? { owner } : { refused: notLent(decided, owner, server) };
  } catch (error) {
    if (error instanceof WaitingForPerson) return known ?? "waiting";
    throw error;
  }
}

/** The tool and its arguments, each under a name that no other part of the card has: `request` stands for what the person wrote. */
function callOf(tool: string, input: Json, values: object): { [name: string]: Json } {
  const taken = new Set(["tool", "request", ...Object.keys(values)]);
  const given = isRecord(input) ? Object.entries(input) : [["arguments", input] as const];
  const before = given.some(([name]) => taken.has(name)) ? `${tool}.` : "";
  return { tool, ...Object.fromEntries(given.map(([name, value]) => [`${before}${name}`, value])) };
}

/** What the owner decided about other calls, as far as it covers this one. */
function decidedBefore(
  { state, turn: { author, cause } }: TurnScope,
  { owner, server, standing }: Wanted,
  { callId, binds }: { callId: string; binds: Binding },
): Account | undefined {
  const others = [...state.approvals].filter(
    ([id, { tool, input }]) =>
      id !== callId && tool === action && isRecord(input) && input.account === binds.values.account,
  );
  const decided = others.flatMap(([, each]) => each.decided ?? []);
  const wasRefused = decided.some(({ approved, by }) => !approved && by !== "");
  if (wasRefused || refusalFor(standing, binds, author.id, cause))
    return { refused: notLent({ by: owner.id, name: owner.name }, owner, server) };
  const isAllowed =
    decided.some(({ approved, for_turn }) => approved && for_turn) ||
    allowanceFor(standing, binds, { approver: "asker", asker: author.id, cause }) !== undefined;
  return isAllowed ? { owner } : undefined;
}

function notLent(
  decided: Pick<Decided, "by" | "name">,
  { name: only }: AccountOwner,
  { server, tool }: ServerTool,
): ToolResult {
  const what = `the use of their account at ${server}`;
  const { code, message, hint } = notApproved(decided, { what, so: `${tool} did not run`, only });
  return failure(code, message, hint);
}
