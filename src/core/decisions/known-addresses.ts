/**
 * Decides where a call may send something. An address can carry out data that a model writes into it, so an invented one needs approval
 * once the model has read untrusted text. Free are addresses named by people or a search, a limited number of links in pages per turn and
 * site, and hosts that an operator opened or the asker allowed for the turn. docs/security-details.md shows the rule.
 */

import type { CallRequest, TurnScope } from "../scope/turn-scope.ts";
import { coversHost } from "../skill/network-grants.ts";
import type { Tool } from "../skill/tool.ts";
import { hasReadUntrusted, isForeign } from "../transcript/untrusted.ts";
import {
  differInOnePlace,
  hostOfKey,
  namesSite,
  readAddress,
  siteOf,
  type WebAddress,
} from "../values/address.ts";
import type { ApprovalNeed } from "../values/inbound.ts";
import type { Json } from "../values/json.ts";

/** Maximum links that one turn may follow to a site, or to a named host: the choice among many links can carry data too. */
const maxLinks = 10;
/** Maximum of these that differ in one place only, like links that spell something out. */
const maxLinksAlike = 5;

/** The verdict on an address. `link`: it is free as one of the site's limited number of links. */
type AddressVerdict = "free" | "link" | "asks";

/** A call's need for approval because of addresses. */
export interface AddressNeed extends ApprovalNeed {
  binds: { hosts: string[] };
  /** Their keys. */
  addresses: readonly string[];
}

/** The parts of a scope that a verdict depends on. */
type Judged = Pick<TurnScope, "seen" | "state" | "turn" | "ports" | "transcript">;

/** Judges an address. `foreign`: it came from text that nobody vouches for, regardless of the transcript. */
function judgeAddress(
  scope: Judged,
  { key, host }: WebAddress,
  { request, foreign = false }: { request?: CallRequest; foreign?: boolean } = {},
): AddressVerdict {
  const { seen, state, ports } = scope;
  const both = [seen.thread, seen.turn];
  if (both.some(({ named }) => named.has(key))) return "free";
  if (coversHost(ports.openHosts, host) || state.allowedHosts.has(host)) return "free";
  if (both.some(({ linked }) => linked.has(key)) && mayFollow(scope, { key, host })) return "link";
  return foreign || hasStrangersText(scope, request) ? "asks" : "free";
}

/** Whether a turn may follow one more link. Links to a named host are counted per host, others per site. */
function mayFollow({ seen, state }: Judged, { key, host }: WebAddress): boolean {
  const pages = [...(state.followed.get(siteOf(host)) ?? [])];
  if (pages.includes(key)) return true;
  const isNamed = [seen.thread, seen.turn].some(({ hosts }) => hosts.has(host));
  const counted = isNamed ? pages.filter((page) => hostOfKey(page) === host) : pages;
  const alike = pages.filter((page) => differInOnePlace(page, key));
  return counted.length < maxLinks && alike.length < maxLinksAlike;
}

/** Whether a text that the call passes on may contain this address without anybody being asked. */
export function isKnownAddress(scope: Judged, request: CallRequest, address: WebAddress): boolean {
  return judgeAddress(scope, address, { request }) !== "asks";
}

/** Whether the model has text by anyone other than members of the channel, the operator and the bot. */
function hasStrangersText(scope: Judged, request: CallRequest | undefined): boolean {
  const { turn, transcript } = scope;
  if (hasReadUntrusted(scope, request)) return true;
  if (namesSite(turn.where.place)) return true;
  const listed = Object.keys(transcript?.told.skills ?? {});
  return listed.some((id) => isForeign(turn.catalogue, id));
}

/** The valid addresses of a call; calls with others fail anyway. */
function addressesOf(tool: Tool, input: Json): WebAddress[] {
  return (tool.addresses?.(input) ?? []).flatMap((text) => readAddress(text) ?? []);
}

/**
 * A call's need for approval because of its destinations; undefined if there is none. Links that it follows are recorded, so that they are
 * counted.
 */
export async function addressNeed(
  scope: TurnScope,
  request: CallRequest,
  tool: Tool,
  input: Json,
): Promise<AddressNeed | undefined> {
  const asked: WebAddress[] = [];
  for (const address of addressesOf(tool, input)) {
    if ((await judgeAndNote(scope, request, address)) === "asks") asked.push(address);
  }
  if (asked.length === 0) return undefined;
  const hosts = [...new Set(asked.map(({ host }) => host))];
  const addresses = asked.map(({ key }) => key);
  return { approver: "asker", reason: reasonFor(hosts), binds: { hosts }, addresses };
}

/** Why a request to these hosts needs approval, for people. */
export function reasonFor(hosts: readonly string[]): string {
  return `The address at ${hosts.join(", ")} was not named by anybody here, nor by a search. An address can carry data out of this conversation.`;
}

/** Judges an address and records a followed link. Both happen in one step, so concurrent calls are all counted. */
export function judgeAndNote(
  scope: TurnScope,
  request: CallRequest,
  address: WebAddress,
  options: { foreign?: boolean } = {},
): Promise<AddressVerdict> {
  const verdict = judgeAddress(scope, address, { request, ...options });
  if (verdict !== "link") return Promise.resolve(verdict);
  const page = address.key;
  const site = siteOf(address.host);
  if (scope.state.followed.get(site)?.has(page)) return Promise.resolve(verdict);
  return scope.emit({ type: "link_followed", call_id: request.call.id, site, page }).then(() => verdict);
}
