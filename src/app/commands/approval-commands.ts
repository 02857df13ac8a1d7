import { escapeMarkdown, oneLine } from "../../base/markdown-text.ts";
import { type Allowance, readAllowances, removeAllowance } from "../../core/allowance.ts";
import { destinationText } from "../../core/always-text.ts";
import type { KeyValue } from "../../core/key-value.ts";
import { mayApprove } from "../../core/permissions.ts";
import type { TurnLog } from "../../core/turn-log.ts";
import { type ApprovalVerdict, type ApprovalView, emptyTurnView, foldTurn } from "../../core/turn-view.ts";
import {
  type CommandResult,
  type PlainCall,
  type PlainCommand,
  refused,
  said,
  shown,
} from "../operations/command.ts";
import type { Approve } from "../services/approvals.ts";
import type { Audit } from "../services/audit.ts";

export interface ApprovalCommandDeps {
  log: TurnLog;
  store: KeyValue;
  audit: Audit;
  approve: Approve;
}

/** Turns that are looked at for what is open. */
const maxTurns = 200;

const how =
  "`/agent approvals approve|refuse|always|turn <id>` decides, `/agent approvals remove <number>` takes back.";

/** `/agent approvals`: what waits for a person here, what is always allowed, and how to take that back. */
export function approvalCommand(deps: ApprovalCommandDeps): PlainCommand {
  return {
    name: "agent approvals",
    usage: "[approve|refuse|always|turn <id> | remove <number>]",
    description: "Shows what waits for approval here and what is always allowed; decides, or takes back",
    run: async (call) => {
      const [word = "", argument = ""] = call.rest.split(/\s+/);
      if (word === "") return list(deps, call);
      if (word === "remove") return remove(deps, call, Number(argument));
      if (word in verdicts) return decide(deps, call, verdicts[word as keyof typeof verdicts], argument);
      return refused(how);
    },
  };
}

const verdicts = { approve: true, refuse: false, always: "always", turn: "turn" } as const;

async function list({ log, store }: ApprovalCommandDeps, { place }: PlainCall): Promise<CommandResult> {
  const { namespace } = place;
  const waiting = await log.list({ namespace, status: "waiting", limit: maxTurns });
  const views = await Promise.all(
    waiting.map(async ({ turn_id }) => (await log.read(turn_id)).reduce(foldTurn, emptyTurnView(turn_id))),
  );
  const open = views.flatMap(({ author, approvals }) =>
    approvals.filter(({ state }) => state === "open").map((each) => openLine(each, author.name)),
  );
  const allowed = await readAllowances(store, namespace);
  const lines = [
    open.length === 0 ? "Nothing waits for approval here." : "Waiting for approval:",
    ...open,
    allowed.length === 0 ? "Nothing is always allowed here." : "Always allowed here:",
    ...allowed.map(allowanceLine),
    how,
  ];
  return shown(lines.join("\n"));
}

function openLine({ approval_id, tool, reason = "" }: ApprovalView, asker: string): string {
  const why = reason === "" ? "" : `: ${escapeMarkdown(oneLine(reason, 200))}`;
  return `- \`${approval_id}\` **${escapeMarkdown(tool)}** for ${escapeMarkdown(asker)}${why}`;
}

function allowanceLine({ id, binding, only_for, name }: Allowance): string {
  const named = destinationText(binding.values);
  const to = named === "" ? "" : ` with ${escapeMarkdown(oneLine(named, 300))}`;
  const whom = only_for === undefined ? "everyone" : escapeMarkdown(name);
  return `- ${id}: **${escapeMarkdown(binding.tool)}**${to}, for ${whom} (allowed by ${escapeMarkdown(name)})`;
}

/** Who gave an allowance may take it back, and so may managers. */
async function remove(
  { store, audit }: ApprovalCommandDeps,
  { place, author }: PlainCall,
  id: number,
): Promise<CommandResult> {
  const found = (await readAllowances(store, place.namespace)).find((each) => each.id === id);
  if (found === undefined) return refused("No allowance has that number. `/agent approvals` shows them.");
  if (!mayApprove(author, "asker", { author: { id: found.by } }))
    return refused(`${escapeMarkdown(found.name)} or a manager of this channel may take that back.`);
  await removeAllowance(store, place.namespace, id);
  const { tool } = found.binding;
  const detail = `no longer always allows **${tool}**`;
  audit.record({
    action: "approval_removed",
    by: author,
    namespace: place.namespace,
    subject: tool,
    detail,
  });
  return said(`**${escapeMarkdown(tool)}** asks again here.`);
}

async function decide(
  { approve, log }: ApprovalCommandDeps,
  { place, author }: PlainCall,
  verdict: ApprovalVerdict,
  id: string,
): Promise<CommandResult> {
  const turn = await log.get(id.slice(0, Math.max(0, id.lastIndexOf(":"))));
  if (turn === undefined || turn.namespace !== place.namespace)
    return refused("Nothing here waits for approval under that id. `/agent approvals` shows what does.");
  const decided = await approve(id, verdict, author);
  if (!decided.ok) return refused(decided.message);
  if (!decided.value.decided) return refused("This was decided already, or is over.");
  return said(verdict === false ? "Refused." : verdict === "always" ? "Always allowed here." : "Approved.");
}
