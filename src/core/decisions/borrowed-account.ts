/**
 * Whose account a call uses at a server where people connect their own. It is the asker's; if they have none, it may be that of a person
 * whom they mention: an approval that only the owner of the account can give, for one call or for all calls of the answer. Once the model
 * has read untrusted text, each further call asks again, as with an "always here" that binds nothing.
 */

import { isRecord } from "../../base/record.ts";
import { askingId, readAskingId } from "../log/call-id.ts";
import { saidIn } from "../scope/turn.ts";
import type { CallRequest, TurnScope } from "../scope/turn-scope.ts";
import { type Decided, failure, type ServerTool, type Tool, type ToolResult } from "../skill/tool.ts";
import { untrustedIn } from "../transcript/untrusted.ts";
import { WaitingForPerson } from "../values/failure.ts";
import type { Json } from "../values/json.ts";
import { named } from "../values/label.ts";
import { isDirectMessage, personKey } from "../values/place.ts";
import { approveWithin } from "./approval.ts";
import { notApproved } from "./not-approved.ts";
import { personOnCard } from "./people-on-cards.ts";

/** The person whose account a call uses, by platform id. */
interface AccountOwner {
  id: string;
  name: string;
}

/** `owner` is absent for the asker's own account, connected or not. */
type Account = { owner?: AccountOwner } | { refused: ToolResult } | "waiting";

const action = "use_account";

/** The key of these approvals within their call. */
const key = "account";

/** Whose account a call uses. Asks the owner, or looks up their decision. The same result when the call is run again. */
export async function accountFor(
  scope: TurnScope,
  request: CallRequest,
  tool: Tool,
  input: Json,
): Promise<Account> {
  const { server, isConnected } = tool;
  const { turn } = scope;
  const { namespace } = turn.place;
  if (server === undefined || isConnected === undefined) return {};
  const has = ({ id }: { id: string }) => isConnected(personKey(namespace, id));
  // Nobody here vouches for what a trigger brings.
  if (turn.cause?.kind === "trigger" || (await has(turn.author))) return {};
  for (const owner of mentionedIn(scope))
    if (await has(owner)) return borrow(scope, { request, tool, server, input, owner });
  return {};
}

function mentionedIn({ turn }: TurnScope): AccountOwner[] {
  return (turn.mentions ?? []).filter(({ kind, id }) => kind === "person" && id !== turn.author.id);
}

interface Wanted {
  request: CallRequest;
  tool: Tool;
  server: ServerTool;
  input: Json;
  owner: AccountOwner;
}

async function borrow(scope: TurnScope, wanted: Wanted): Promise<Account> {
  const { request, tool, server, input, owner } = wanted;
  const { turn, state } = scope;
  const { author, place } = turn;
  const account = named(owner.name, owner.id);
  const values = { server: server.server, account, for: named(author.name, author.id) };
  const where = { callId: request.call.id, key, skillId: tool.skill_id };
  const wasAsked = state.approvalOf(askingId(request.call.id, key)) !== undefined;
  const known = decidedBefore(scope, wanted, account);
  if (known !== undefined && !wasAsked) return known;
  const isAside = state.private || isDirectMessage(place.namespace);
  const said = saidIn(turn);
  const asker = await personOnCard(scope, author);
  try {
    const decided = await approveWithin(scope, where, {
      action,
      person: {
        ...owner,
        deed: `use your account at “${server.server}” for ${asker}`,
        for_answer: true,
      },
      label: `the account of ${account} at ${server.server}`,
      says: {
        deed: `use the account of ${await personOnCard(scope, owner)} at “${server.server}” for ${asker}`,
        quotes: "request",
        names: ["account", "server", "for"],
      },
      // What somebody wrote in private is not shown to others.
      input: {
        ...(isAside || said === "" ? {} : { request: said }),
        ...callOf(server.tool, input, values),
        ...values,
      },
      reason: `${values.for} has no account there. What it answers is shown ${isAside ? "to them" : "where it was asked"}.`,
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

/** What the owner decided about other calls of this turn, as far as it covers this one. */
function decidedBefore(
  scope: TurnScope,
  { request, tool, owner, server }: Wanted,
  account: string,
): Account | undefined {
  const { state } = scope;
  const { id: callId } = request.call;
  const others = [...state.approvals.values()].filter(
    ({ call_id, input }) =>
      call_id !== askingId(callId, key) &&
      readAskingId(call_id).key === key &&
      isRecord(input) &&
      input.server === server.server &&
      input.account === account,
  );
  const decided = others.flatMap((each) => each.decided ?? []);
  if (decided.some(({ approved, by }) => !approved && by !== ""))
    return { refused: notLent({ by: owner.id, name: owner.name }, owner, server) };
  const isLent = decided.some(({ approved, for_turn }) => approved && for_turn);
  const isStarted = state.calls.get(callId)?.started !== undefined;
  return isLent && (isStarted || untrustedIn(scope, request, tool.skill_id).length === 0)
    ? { owner }
    : undefined;
}

function notLent(
  decided: Pick<Decided, "by" | "name">,
  owner: AccountOwner,
  { server, tool }: ServerTool,
): ToolResult {
  const what = `the use of their account at ${server}`;
  const { code, message, hint } = notApproved(decided, {
    what,
    so: `${tool} did not run`,
    only: named(owner.name, owner.id),
  });
  return failure(code, message, hint);
}
