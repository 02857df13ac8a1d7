import { z } from "zod";
import { durationInWords } from "../../base/duration-in-words.ts";
import { escapeMarkdown, oneLine } from "../../base/markdown-text.ts";
import {
  readStanding,
  removeStanding,
  type StandingDecision,
} from "../../core/decisions/standing-decisions.ts";
import { turnOfApproval } from "../../core/log/call-id.ts";
import { emptyTurnView, foldTurn } from "../../core/log/turn-view.ts";
import { isPrivateTurn } from "../../core/transcript/audience.ts";
import { failed, type Outcome } from "../../core/values/failure.ts";
import { mayApprove } from "../../core/values/inbound.ts";
import { jsonSchema } from "../../core/values/json-schema.ts";
import { namespaceSchema } from "../../core/values/place.ts";
import { destinationText } from "../../core/values/shown.ts";
import { type Verdict, verdictInput, verdictOf, verdicts } from "../../core/values/verdict.ts";
import { auditNote, type ChatForm, type OperationCall, operation } from "./operation.ts";
import type { CommandOption, Services } from "./services.ts";

const decision = z.object({
  id: z.string().min(1).max(320).describe("`approval_id` of an approval_requested event"),
  approve: z.boolean().describe("false refuses"),
  text: z
    .string()
    .trim()
    .min(1)
    .max(20_000)
    .optional()
    .describe("approved with this text in place of the one that the call quotes (`says.edits`)"),
  always: z
    .boolean()
    .default(false)
    .describe("approved calls like this one are not asked about in its channel any more"),
  turn: z
    .boolean()
    .default(false)
    .describe("approved sites that the call names may be reached for the rest of the turn"),
  never: z
    .boolean()
    .default(false)
    .describe("refused calls like this one are refused in its channel without asking from now on"),
});
type DecisionInput = z.output<typeof decision>;

/** The turn that asks. */
const askingTurn = {
  turn: ({ input: { id }, services }: OperationCall<{ id: string }>) =>
    services.turns.get(turnOfApproval(id)),
  missing: "Nothing here waits for approval under that id. `/agent approvals` shows what does.",
};

/** The option of a command that decides. */
const openOption: CommandOption = {
  name: "id",
  description: "The id of what waits, as the list shows it",
  required: true,
  complete: async ({ turns }, namespace) =>
    (await openApprovals(turns, namespace)).map(({ approval_id: text, tool, asker }) => ({
      text,
      description: oneLine(`${tool} for ${asker}`, 100),
    })),
};

export const decideApproval = operation({
  name: "approval.decide",
  input: decision,
  output: z.object({
    decided: z.boolean().describe("false when it was already decided or had expired"),
  }),
  who: { decide: mayDecide },
  about: askingTurn,
  http: {
    route: "POST /approvals/{id}",
    summary: "Approve or refuse what a tool asked for",
    answers: "whether this decided it",
  },
  chat: Object.entries(verdicts).map(
    ([verdict, { word, does }]): ChatForm<DecisionInput, { decided: boolean }> => ({
      command: `agent approvals ${word}`,
      public: true,
      description: does,
      options: [openOption],
      read: (words) => ({ id: words.split(/\s+/)[0] || "none", ...verdictInput(verdict as Verdict) }),
    }),
  ),
  text: ({ decided }, input) =>
    decided ? verdicts[verdictOf(input)].answer : "This has already been decided, or has expired.",
  failed: ({ decided }) => !decided,
  async run({ input, asker, services }) {
    if ((input.approve && input.never) || (!input.approve && input.text !== undefined)) return contradiction;
    return services.approvals.decide(input.id, verdictOf(input), asker.by, input.text);
  },
});

export const showApproval = operation({
  name: "approval.show",
  input: z.object({ id: decision.shape.id }),
  output: z.object({
    tool: z.string(),
    skill_id: z.string(),
    input: jsonSchema,
    text: z.string().optional().describe("that the person may edit before they approve the call"),
  }),
  who: "anyone",
  about: askingTurn,
  async run({ input: { id }, asker, services }) {
    const found = await services.approvals.show(id, asker.by);
    if (!found.ok) return found;
    const { asked, text } = found.value;
    return { ok: true, value: { tool: asked.tool, skill_id: asked.skill_id, input: asked.input, text } };
  },
});

const contradiction: Outcome<never> = {
  ok: false,
  status: 400,
  message: "`never` is a refusal, with `approve: false`; `text` is an approval, with `approve: true`.",
};

/** A command may decide only in the channel in which the tool asked. */
async function mayDecide(call: OperationCall<DecisionInput>): Promise<Outcome<unknown>> {
  const { input, asker, services, command } = call;
  const turn = await askingTurn.turn(call);
  if (command !== undefined && turn?.namespace !== asker.namespace) return failed(404, askingTurn.missing);
  return services.approvals.mayDecide(input.id, asker.by);
}

const how =
  "`/agent approvals approve|refuse|turn|always|never <id>` decides. `/agent approvals remove <number>` removes a standing decision; the person who decided and managers of the channel may do that.";

/** Maximum turns that are searched for open approvals. */
const maxTurns = 200;

const openSchema = z.object({
  approval_id: z.string(),
  tool: z.string(),
  asker: z.string(),
  reason: z.string(),
  approver: z.string().describe("the lowest rank that may decide"),
  expires_at: z.number().describe("ms since the epoch"),
});

const standingSchema = z.object({
  id: z.number(),
  tool: z.string(),
  to: z.string(),
  whom: z.string().optional().describe("the only person to whose turns it applies"),
  within: z.string().optional().describe("the id of the schedule or trigger to whose turns alone it applies"),
  by: z.string(),
});

export const listApprovals = operation({
  name: "approval.list",
  input: z.object({ namespace: namespaceSchema }),
  output: z.object({
    open: z.array(openSchema),
    allowed: z.array(standingSchema),
    refused: z.array(standingSchema),
  }),
  who: "anyone",
  chat: {
    command: "agent approvals list",
    description: "Shows what waits for approval here, and what is always and never allowed",
    alsoAlone: true,
    read: (words, { namespace }) => (words === "" ? { namespace } : undefined),
    missing: how,
  },
  text: ({ open, allowed, refused }, _input, { now }) =>
    [
      open.length === 0 ? "Nothing waits for approval here." : "Waiting for approval:",
      ...open.map((each) => openLine(each, now)),
      allowed.length === 0 ? "Nothing is always allowed here." : "Always allowed here:",
      ...allowed.map((each) => standingLine(each, "allowed")),
      ...(refused.length === 0 ? [] : ["Never allowed here:"]),
      ...refused.map((each) => standingLine(each, "refused")),
      how,
    ].join("\n"),
  async run({ input: { namespace }, services: { turns, store } }) {
    const open = await openApprovals(turns, namespace);
    const standing = await readStanding(store, namespace);
    const withVerdict = (of: StandingDecision["verdict"]) =>
      standing.filter(({ verdict }) => verdict === of).map(shownDecision);
    return { ok: true, value: { open, allowed: withVerdict("always"), refused: withVerdict("never") } };
  },
});

async function openApprovals(turns: Services["turns"], namespace: string) {
  const waiting = await turns.list({
    namespace,
    status: "waiting",
    event: "approval_requested",
    limit: maxTurns,
  });
  const views = await Promise.all(
    waiting.map(async (turn) => {
      const events = await turns.events(turn);
      const isPrivate = isPrivateTurn(events);
      return { ...events.reduce(foldTurn, emptyTurnView(turn.turn_id)), isPrivate };
    }),
  );
  return views.flatMap(({ author, approvals, isPrivate }) =>
    approvals
      .filter(({ state }) => state === "open")
      .map(({ approval_id, tool, says, label, reason = "", approver, person, expires_at }) => ({
        approval_id,
        tool: label ?? (isPrivate ? tool : (says?.deed ?? tool)),
        asker: author.name,
        reason: isPrivate ? "" : reason,
        approver: person?.name ?? approver,
        expires_at,
      })),
  );
}

function openLine(
  { approval_id, tool, asker, reason, approver, expires_at }: z.output<typeof openSchema>,
  now: number,
) {
  const why = reason === "" ? "" : `: ${escapeMarkdown(oneLine(reason, 200))}`;
  const who =
    approver === "asker" ? `${escapeMarkdown(asker)} or a manager` : (deciders[approver] ?? approver);
  const left = `${who} may decide, for ${durationInWords(expires_at - now)} more`;
  return `- \`${approval_id}\` **${escapeMarkdown(oneLine(tool, 200))}** for ${escapeMarkdown(asker)}${why} (${left})`;
}

const deciders: Readonly<Record<string, string>> = {
  guest: "everybody",
  member: "every member",
  manager: "a manager of this channel",
  operator: "an operator of the bot",
};

function standingLine(
  { id, tool, to, whom = "everyone", within, by }: z.output<typeof standingSchema>,
  did: "allowed" | "refused",
) {
  const named = to === "" ? "" : ` with ${escapeMarkdown(oneLine(to, 300))}`;
  const where = within === undefined ? "" : ` in turns of \`${within}\``;
  return `- ${id}: **${escapeMarkdown(tool)}**${named}, for ${escapeMarkdown(whom)}${where} (${did} by ${escapeMarkdown(by)})`;
}

function shownDecision({ id, binding, only_for, within, name }: StandingDecision) {
  return {
    id,
    tool: binding.tool,
    to: destinationText(binding.values),
    whom: only_for === undefined ? undefined : name,
    within,
    by: name,
  };
}

export const removeApproval = operation({
  name: "approval.remove",
  input: z.object({
    namespace: namespaceSchema,
    id: z.number().describe("the number that approval.list shows"),
  }),
  output: z.object({ tool: z.string(), verdict: z.enum(["always", "never"]) }),
  who: { decide: mayRemove },
  chat: {
    command: "agent approvals remove",
    public: true,
    description: "Removes a standing decision, so that such calls ask again",
    options: [
      {
        name: "number",
        description: "The number of the decision, as the list shows it",
        required: true,
        type: "number",
        complete: async ({ store }, namespace) =>
          (await readStanding(store, namespace)).map((each) => ({
            text: `${each.id}`,
            description: `${each.binding.tool}, ${each.verdict === "always" ? "always allowed" : "never allowed"}`,
          })),
      },
    ],
    read: (words, { namespace }) => ({ namespace, id: Number(words.split(/\s+/)[0]) || 0 }),
  },
  text: ({ tool }) => `**${escapeMarkdown(tool)}** asks again here.`,
  async run(call) {
    const found = await decisionOf(call);
    if (!found.ok) return found;
    const { id, binding, verdict } = found.value;
    await removeStanding(call.services.store, call.input.namespace, id);
    return { ok: true, value: { tool: binding.tool, verdict } };
  },
  audit: ({ tool, verdict }) =>
    auditNote(
      "approval_removed",
      tool,
      `no longer ${verdict === "always" ? "always allows" : "refuses"} **${escapeMarkdown(tool)}**`,
    ),
});

type Removal = OperationCall<{ namespace: string; id: number }>;

async function decisionOf({
  input: { namespace, id },
  services,
}: Removal): Promise<Outcome<StandingDecision>> {
  const found = (await readStanding(services.store, namespace)).find((each) => each.id === id);
  if (found !== undefined) return { ok: true, value: found };
  return failed(404, "There is no decision with that number. `/agent approvals` shows them.");
}

/** The person who decided and managers may remove a decision; matching calls then ask again. */
async function mayRemove(call: Removal): Promise<Outcome<unknown>> {
  const found = await decisionOf(call);
  if (!found.ok || mayApprove(call.asker.by, "asker", { author: { id: found.value.by } })) return found;
  const message = `Only ${escapeMarkdown(found.value.name)} or a manager of this channel may remove that decision.`;
  return failed(403, message);
}
