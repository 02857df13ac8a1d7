/**
 * Decides where a call may send something. An address can carry out data that a model writes into it, so an invented one needs approval
 * once the model has read untrusted text. Free are addresses named by people, and hosts that an operator opened or the asker allowed for
 * the turn; results of searches and links in pages are free for a limited number of requests per turn and site.
 * docs/security-details.md shows the rule.
 */

import type { CallRequest, TurnScope } from "../scope/turn-scope.ts";
import { coversHost } from "../skill/network-grants.ts";
import type { Tool } from "../skill/tool.ts";
import { isForeign, untrustedIn } from "../transcript/untrusted.ts";
import { differInOnePlace, hostOfKey, readAddress, type WebAddress } from "../values/address.ts";
import type { ApprovalNeed } from "../values/inbound.ts";
import type { Json } from "../values/json.ts";

/**
 * Maximum requests of one turn to a site, or to a host that people named, at addresses that nobody named: the choice among many addresses,
 * and their order, can carry data too.
 */
const maxRequests = 10;
/** Maximum of these to addresses that differ in one place only, like links that spell something out. */
const maxAlike = 5;

/**
 * The verdict on an address. `counted`: it is free as one of the site's limited number of requests. `asks`: why it needs approval; it
 * completes “The address at HOST”.
 */
type AddressVerdict = "free" | "counted" | { asks: string };

/** A call's need for approval because of addresses. */
export interface AddressNeed extends ApprovalNeed {
  binds: { hosts: string[] };
  /** Their keys. */
  addresses: readonly string[];
}

/** The parts of a scope that a verdict depends on. */
type Judged = Pick<TurnScope, "seen" | "state" | "turn" | "ports" | "transcript">;

interface Judging {
  request: CallRequest;
  /** The site of the address. */
  site: string;
  /** The address came from text that nobody vouches for, regardless of the transcript. */
  foreign?: boolean | undefined;
}

/** Whether people named the address, or opened its host. */
function isOpen({ seen, state, ports }: Judged, { key, host }: WebAddress): boolean {
  const isNamed = seen.thread.named.has(key) || seen.turn.named.has(key);
  return isNamed || coversHost(ports.openHosts, host) || state.allowedHosts.has(host);
}

function judgeAddress(scope: Judged, { key, host }: WebAddress, judging: Judging): AddressVerdict {
  const { seen } = scope;
  const isLinked = seen.thread.linked.has(key) || seen.turn.linked.has(key);
  const spent = isLinked ? spentOn(scope, { key, host }, judging) : undefined;
  if (isLinked && spent === undefined) return "counted";
  const asks =
    spent === undefined
      ? "was not named by anybody here, nor by a search"
      : `was in what was read, but this turn has followed ${spent} already`;
  return judging.foreign || hasStrangersText(scope, judging.request) ? { asks } : "free";
}

/**
 * The links of the site that leave no request for one more, in words; undefined if a call may send one. A request that was counted for it
 * before is the same one, e.g. after a crash.
 */
function spentOn(
  { seen, state }: Judged,
  { key, host }: WebAddress,
  { request, site }: Judging,
): string | undefined {
  const sent = state.followed.get(site) ?? [];
  if (isCounted(sent, request, key)) return undefined;
  const isNamed = [seen.thread, seen.turn].some(({ hosts }) => hosts.has(host));
  const pages = sent.map(({ page }) => page);
  const counted = isNamed ? pages.filter((page) => hostOfKey(page) === host) : pages;
  const alike = new Set(pages.filter((page) => page !== key && differInOnePlace(page, key)));
  const where = isNamed ? host : site;
  if (counted.length >= maxRequests) return `${counted.length} links of ${where}`;
  if (alike.size < maxAlike) return undefined;
  return `${alike.size} links of ${host} that differ from this one in one place`;
}

function isCounted(
  sent: readonly { call_id: string; page: string }[],
  { call }: CallRequest,
  key: string,
): boolean {
  return sent.some(({ call_id, page }) => call_id === call.id && page === key);
}

/** Whether the model has text by anyone other than members of the channel, the operator and the bot. */
function hasStrangersText(scope: Judged, request: CallRequest | undefined): boolean {
  const { turn, transcript } = scope;
  if (untrustedIn(scope, request).length > 0) return true;
  const listed = Object.keys(transcript?.told.skills ?? {});
  return listed.some((id) => isForeign(turn.catalogue, id));
}

/**
 * Sites that names without a scheme may lead to: addresses of machines, and names below an ending of the internet or one that is reserved
 * for private networks and tests (RFC 2606, 6761, 6762). `Node.js/React` and `a.total/b.total` lead nowhere.
 */
const reachable = /\.\p{L}|^[\d.]+$|^\[|^(?:test|example|invalid|localhost|local|internal)$/u;

/** The valid addresses of a call; calls with others fail anyway. */
async function addressesOf({ ports }: Judged, tool: Tool, input: Json): Promise<WebAddress[]> {
  const all = (tool.addresses?.(input) ?? []).map(async (text) => {
    const address = readAddress(text);
    if (address !== undefined || tool.server === undefined) return address;
    const name = readAddress(`http://${text}`);
    return name !== undefined && reachable.test(await ports.siteOf(name.host)) ? name : undefined;
  });
  return (await Promise.all(all)).filter((address) => address !== undefined);
}

/** A call's need for approval because of its destinations; undefined if there is none. Its requests are counted. */
export async function addressNeed(
  scope: TurnScope,
  request: CallRequest,
  tool: Tool,
  input: Json,
): Promise<AddressNeed | undefined> {
  const asked: AskedAddress[] = [];
  for (const address of await addressesOf(scope, tool, input)) {
    const why = await judgeAndNote(scope, request, address);
    if (why !== undefined) asked.push({ ...address, why });
  }
  if (asked.length === 0) return undefined;
  const hosts = [...new Set(asked.map(({ host }) => host))];
  const addresses = asked.map(({ key }) => key);
  return { approver: "asker", reason: reasonFor(asked), binds: { hosts }, addresses };
}

/** An address that needs approval, and why, as `judgeAndNote` says it. */
type AskedAddress = WebAddress & { why: string };

/** Why requests to these addresses need approval, for people. */
export function reasonFor(asked: readonly Pick<AskedAddress, "host" | "why">[]): string {
  const whys = [...Map.groupBy(asked, ({ why }) => why)].map(
    ([why, each]) => `The address at ${[...new Set(each.map(({ host }) => host))].join(", ")} ${why}.`,
  );
  return `${whys.join(" ")} An address can carry data out of this conversation.`;
}

/**
 * Judges an address and counts the request. Both happen in one step, so concurrent calls are all counted. Returns why a person has to be
 * asked; undefined if nobody has to.
 */
export async function judgeAndNote(
  scope: TurnScope,
  request: CallRequest,
  address: WebAddress,
  { foreign }: { foreign?: boolean } = {},
): Promise<string | undefined> {
  if (isOpen(scope, address)) return undefined;
  const site = await scope.ports.siteOf(address.host);
  const verdict = judgeAddress(scope, address, { request, site, foreign });
  const { key: page } = address;
  if (verdict === "counted" && !isCounted(scope.state.followed.get(site) ?? [], request, page))
    await scope.emit({ type: "link_followed", call_id: request.call.id, site, page });
  return typeof verdict === "object" ? verdict.asks : undefined;
}
