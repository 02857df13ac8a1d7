/**
 * Decides where a call may send something. An address carries out what a model writes into it, so a made-up one asks as soon as the model
 * has read what nobody here vouches for. Free are addresses that people or a search named, links of pages (so many a turn to one
 * site), and the hosts an operator opened or the asker allowed for the turn. docs/security-details.md shows the rule.
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

/** Links that one turn may follow to a site, or to a host that was named: which of many links is followed tells something too. */
const maxLinks = 10;
/** Of these, links that differ in one place alone, as those do that spell something out. */
const maxLinksAlike = 5;

/** What is known of an address. `link`: it is free as one of the site's few. */
export type AddressVerdict = "free" | "link" | "asks";

/** That a call asks, and for which addresses. */
export interface AddressNeed extends ApprovalNeed {
  binds: { hosts: string[] };
  /** Keys of them. */
  addresses: readonly string[];
}

/** What a judgement looks at. */
type Judged = Pick<TurnScope, "seen" | "state" | "turn" | "ports" | "transcript">;

/** Judges an address. `foreign`: it came from text that nobody vouches for, whatever the transcript has. */
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

/** Whether a turn may follow one more link. A host that was named counts by itself, others with all of their site. */
function mayFollow({ seen, state }: Judged, { key, host }: WebAddress): boolean {
  const pages = [...(state.followed.get(siteOf(host)) ?? [])];
  if (pages.includes(key)) return true;
  const isNamed = [seen.thread, seen.turn].some(({ hosts }) => hosts.has(host));
  const counted = isNamed ? pages.filter((page) => hostOfKey(page) === host) : pages;
  const alike = pages.filter((page) => differInOnePlace(page, key));
  return counted.length < maxLinks && alike.length < maxLinksAlike;
}

/** Whether a text that the call hands on may hold this address: nobody has to be asked to follow it. */
export function isKnownAddress(scope: Judged, request: CallRequest, address: WebAddress): boolean {
  return judgeAddress(scope, address, { request }) !== "asks";
}

/** Whether anything the model has before it was written by others than members of the channel, the operator and the bot. */
function hasStrangersText(scope: Judged, request: CallRequest | undefined): boolean {
  const { turn, transcript } = scope;
  if (hasReadUntrusted(scope, request)) return true;
  if (namesSite(turn.where.place)) return true;
  const listed = Object.keys(transcript?.told.skills ?? {});
  return listed.some((id) => isForeign(turn.catalogue, id));
}

/** The addresses of a call that are read at all; others fail by themselves. */
function addressesOf(tool: Tool, input: Json): WebAddress[] {
  return (tool.addresses?.(input) ?? []).flatMap((text) => readAddress(text) ?? []);
}

/**
 * That a call asks because of where it would send something; undefined where it may. What links of pages it follows is noted, so that
 * they are counted.
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

/** Why a request to these hosts is asked about, for people. */
export function reasonFor(hosts: readonly string[]): string {
  return `The address at ${hosts.join(", ")} was named by nobody here and by no search. An address can carry out what was said here.`;
}

/** Judges an address and notes the link it follows. Nothing happens in between, so calls that run at the same time are all counted. */
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
