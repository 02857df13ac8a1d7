import { sha256 } from "../../base/sha256.ts";
import type { Web, WebRequest } from "../ports/web.ts";
import type { CallRequest, TurnScope } from "../scope/turn-scope.ts";
import type { Tool } from "../skill/tool.ts";
import { isSameSite, readAddress } from "../values/web-address.ts";
import { approveWithin } from "./approval.ts";
import { judgeAndNote, reasonFor } from "./known-addresses.ts";

/**
 * Whether a running call may send something to an address; asks where it is not free. Answers the same when the call is run again.
 * @throws WaitingForPerson while nobody has decided
 */
export async function mayReach(
  scope: TurnScope,
  request: CallRequest,
  tool: Pick<Tool, "skill_id">,
  text: string,
  { foreign = false }: { foreign?: boolean } = {},
): Promise<boolean> {
  const address = readAddress(text);
  // What is no web address is refused by the fetch itself.
  if (address === undefined) return true;
  if ((await judgeAndNote(scope, request, address, { foreign })) !== "asks") return true;
  const { key, host } = address;
  // By its hash: what was approved is this address, and none that a page made to look alike.
  const where = { callId: `${request.call.id}/approval:reach:${await sha256(key)}`, skillId: tool.skill_id };
  const { approved } = await approveWithin(scope, where, {
    action: "reach_address",
    question: `May ${tool.skill_id} send a request to ${host}?`,
    input: { address: text },
    reason: reasonFor([host]),
    approver: "asker",
    addresses: [key],
  });
  return approved;
}

/** The web of a call, with redirects to another site judged as addresses are: a server may send on what it was told. */
export function webOf(scope: TurnScope, request: CallRequest): Web {
  const { redact, web } = scope.ports;
  const mayFollow: WebRequest["mayFollow"] = async ({ from, to, sends }) => {
    const [here, there] = [readAddress(from), readAddress(to)];
    if (here === undefined || there === undefined) return false;
    if (isSameSite(here.host, there.host)) return true;
    return !sends && (await judgeAndNote(scope, request, there)) !== "asks";
  };
  return {
    fetch: (url, options) => web.fetch(url, { mayFollow, ...options }),
    // Skills cut what they read: half a secret would not be known for one.
    read: async (url, options) => redact(await web.read(url, { mayFollow, ...options })),
  };
}
