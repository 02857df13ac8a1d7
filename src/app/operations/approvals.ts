import { z } from "zod";
import { escapeMarkdown, oneLine } from "../../base/markdown-text.ts";
import { type Allowance, readAllowances, removeAllowance } from "../../core/allowance.ts";
import { destinationText } from "../../core/always-text.ts";
import type { Outcome } from "../../core/outcome.ts";
import { mayApprove } from "../../core/permissions.ts";
import { namespaceSchema } from "../../core/place.ts";
import { emptyTurnView, foldTurn, verdictInput } from "../../core/turn-view.ts";
import { said, shown } from "./command.ts";
import { type ChatForm, type OperationCall, operation } from "./operation.ts";

const how =
  "`/agent approvals approve|refuse|always|turn <id>` decides, `/agent approvals remove <number>` takes back.";

/** Turns that are looked at for what is open. */
const maxTurns = 200;

export const listApprovals = operation({
  name: "approval.list",
  input: z.object({ namespace: namespaceSchema }),
  output: z.object({
    open: z.array(
      z.object({ approval_id: z.string(), tool: z.string(), asker: z.string(), reason: z.string() }),
    ),
    allowed: z.array(
      z.object({
        id: z.number(),
        tool: z.string(),
        to: z.string(),
        whom: z.string().optional(),
        by: z.string(),
      }),
    ),
  }),
  who: "anyone",
  chat: [
    {
      command: "agent approvals",
      usage: "[approve|refuse|always|turn <id> | remove <number>]",
      description: "Shows what waits for approval here and what is always allowed; decides, or takes back",
      read: (words, { namespace }) => (words === "" ? { namespace } : undefined),
      missing: how,
      say({ open, allowed }) {
        const lines = [
          open.length === 0 ? "Nothing waits for approval here." : "Waiting for approval:",
          ...open.map(({ approval_id, tool, asker, reason }) => {
            const why = reason === "" ? "" : `: ${escapeMarkdown(oneLine(reason, 200))}`;
            return `- \`${approval_id}\` **${escapeMarkdown(tool)}** for ${escapeMarkdown(asker)}${why}`;
          }),
          allowed.length === 0 ? "Nothing is always allowed here." : "Always allowed here:",
          ...allowed.map(({ id, tool, to, whom = "everyone", by }) => {
            const named = to === "" ? "" : ` with ${escapeMarkdown(oneLine(to, 300))}`;
            return `- ${id}: **${escapeMarkdown(tool)}**${named}, for ${escapeMarkdown(whom)} (allowed by ${escapeMarkdown(by)})`;
          }),
          how,
        ];
        return shown(lines.join("\n"));
      },
    },
  ],
  async run({ input: { namespace }, services: { turns, store } }) {
    const waiting = await turns.list({ namespace, status: "waiting", limit: maxTurns });
    const views = await Promise.all(
      waiting.map(async (turn) => (await turns.events(turn)).reduce(foldTurn, emptyTurnView(turn.turn_id))),
    );
    const open = views.flatMap(({ author, approvals }) =>
      approvals
        .filter(({ state }) => state === "open")
        .map(({ approval_id, tool, reason = "" }) => ({ approval_id, tool, asker: author.name, reason })),
    );
    return {
      ok: true,
      value: { open, allowed: (await readAllowances(store, namespace)).map(shownAllowance) },
    };
  },
});

function shownAllowance({ id, binding, only_for, name }: Allowance) {
  const whom = only_for === undefined ? {} : { whom: name };
  return { id, tool: binding.tool, to: destinationText(binding.values), ...whom, by: name };
}

const verdict = z.object({
  id: z.string().min(1).max(320).describe("`approval_id` of an approval_requested event"),
  approve: z.boolean().describe("false refuses"),
  always: z
    .boolean()
    .default(false)
    .describe("approved calls like this one are not asked about in its channel any more"),
  turn: z
    .boolean()
    .default(false)
    .describe("approved sites that the call names may be reached for the rest of the turn"),
});
type Verdict = z.output<typeof verdict>;

const verdicts = { approve: true, refuse: false, always: "always", turn: "turn" } as const;

export const decideApproval = operation({
  name: "approval.decide",
  input: verdict,
  output: z.object({
    decided: z.boolean().describe("false when somebody had decided before, or it was over"),
  }),
  who: { decide: mayDecide },
  http: {
    route: "POST /approvals/{id}",
    summary: "Approve or refuse what a tool asked for",
    answers: "whether this decided it",
  },
  chat: Object.entries(verdicts).map(
    ([word, meant]): ChatForm<Verdict, { decided: boolean }> => ({
      command: `agent approvals ${word}`,
      partOf: "agent approvals",
      read: (words) => ({ id: words.split(/\s+/)[0] || "none", ...verdictInput(meant) }),
      say({ decided }) {
        if (!decided) return { ok: false, text: "This was decided already, or is over.", private: true };
        return said(meant === false ? "Refused." : meant === "always" ? "Always allowed here." : "Approved.");
      },
    }),
  ),
  run: ({ input: { id, approve, always, turn }, asker, services }) =>
    services.approvals.decide(
      id,
      approve && always ? "always" : approve && turn ? "turn" : approve,
      asker.by,
    ),
});

/** By command only in the channel in which it was asked. */
async function mayDecide(call: OperationCall<Verdict>): Promise<Outcome<unknown>> {
  const { input, asker, services, command } = call;
  const turn = await services.turns.get(input.id.slice(0, Math.max(0, input.id.lastIndexOf(":"))));
  if (command !== undefined && turn?.namespace !== asker.namespace) {
    const message = "Nothing here waits for approval under that id. `/agent approvals` shows what does.";
    return { ok: false, status: 404, message };
  }
  return services.approvals.mayDecide(input.id, asker.by);
}

export const removeApproval = operation({
  name: "approval.remove",
  input: z.object({
    namespace: namespaceSchema,
    id: z.number().describe("the number that approval.list shows"),
  }),
  output: z.object({ tool: z.string() }),
  who: { decide: mayRemove },
  chat: [
    {
      command: "agent approvals remove",
      partOf: "agent approvals",
      read: (words, { namespace }) => ({ namespace, id: Number(words.split(/\s+/)[0]) || 0 }),
      say: ({ tool }) => said(`**${escapeMarkdown(tool)}** asks again here.`),
    },
  ],
  async run(call) {
    const found = await allowanceOf(call);
    if (!found.ok) return found;
    await removeAllowance(call.services.store, call.input.namespace, found.value.id);
    return { ok: true, value: { tool: found.value.binding.tool } };
  },
  audit: ({ tool }) => ({
    action: "approval_removed",
    subject: tool,
    detail: `no longer always allows **${tool}**`,
  }),
});

type Removal = OperationCall<{ namespace: string; id: number }>;

async function allowanceOf({ input: { namespace, id }, services }: Removal): Promise<Outcome<Allowance>> {
  const found = (await readAllowances(services.store, namespace)).find((each) => each.id === id);
  if (found !== undefined) return { ok: true, value: found };
  return { ok: false, status: 404, message: "No allowance has that number. `/agent approvals` shows them." };
}

/** Who gave an allowance may take it back, and so may managers. */
async function mayRemove(call: Removal): Promise<Outcome<unknown>> {
  const found = await allowanceOf(call);
  if (!found.ok || mayApprove(call.asker.by, "asker", { author: { id: found.value.by } })) return found;
  const message = `${escapeMarkdown(found.value.name)} or a manager of this channel may take that back.`;
  return { ok: false, status: 403, message };
}
