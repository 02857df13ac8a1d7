import { z } from "zod";
import { durationInWords } from "../../base/duration-in-words.ts";
import { escapeMarkdown, oneLine } from "../../base/markdown-text.ts";
import { readStanding, type StandingDecision } from "../../core/decisions/standing-decisions.ts";
import { emptyTurnView, foldTurn } from "../../core/log/turn-view.ts";
import { destinationText } from "../../core/values/call-binding.ts";
import { namespaceSchema } from "../../core/values/place.ts";
import { shown } from "./command.ts";
import { operation } from "./operation.ts";

const how =
  "`/agent approvals approve|refuse|turn|always|never <id>` decides. `/agent approvals remove <number>` takes back what holds for good; whoever decided it may, and managers of the channel.";

/** Turns that are looked at for what is open. */
const maxTurns = 200;

const openSchema = z.object({
  approval_id: z.string(),
  tool: z.string(),
  asker: z.string(),
  reason: z.string(),
  approver: z.string().describe("the least that may decide"),
  expires_at: z.number().describe("ms since the epoch"),
});

const forGood = z.object({
  id: z.number(),
  tool: z.string(),
  to: z.string(),
  whom: z.string().optional().describe("the only person whose turns it holds for"),
  by: z.string(),
});

export const listApprovals = operation({
  name: "approval.list",
  input: z.object({ namespace: namespaceSchema }),
  output: z.object({
    open: z.array(openSchema),
    allowed: z.array(forGood),
    refused: z.array(forGood),
  }),
  who: "anyone",
  chat: [
    {
      command: "agent approvals",
      usage: "[approve|refuse|turn|always|never <id> | remove <number>]",
      description:
        "Shows what waits for approval here, what is always and never allowed; decides, or takes back",
      read: (words, { namespace }) => (words === "" ? { namespace } : undefined),
      missing: how,
      say({ open, allowed, refused }, { services }) {
        const now = services.clock.now();
        const lines = [
          open.length === 0 ? "Nothing waits for approval here." : "Waiting for approval:",
          ...open.map((each) => openLine(each, now)),
          allowed.length === 0 ? "Nothing is always allowed here." : "Always allowed here:",
          ...allowed.map((each) => forGoodLine(each, "allowed")),
          ...(refused.length === 0 ? [] : ["Never allowed here:"]),
          ...refused.map((each) => forGoodLine(each, "refused")),
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
        .map(({ approval_id, tool, label = tool, reason = "", approver, expires_at }) => ({
          ...{ approval_id, tool: label, asker: author.name, reason, approver, expires_at },
        })),
    );
    const standing = await readStanding(store, namespace);
    const those = (of: StandingDecision["verdict"]) =>
      standing.filter(({ verdict }) => verdict === of).map(shownDecision);
    return { ok: true, value: { open, allowed: those("always"), refused: those("never") } };
  },
});

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

function forGoodLine(
  { id, tool, to, whom = "everyone", by }: z.output<typeof forGood>,
  did: "allowed" | "refused",
) {
  const named = to === "" ? "" : ` with ${escapeMarkdown(oneLine(to, 300))}`;
  return `- ${id}: **${escapeMarkdown(tool)}**${named}, for ${escapeMarkdown(whom)} (${did} by ${escapeMarkdown(by)})`;
}

function shownDecision({ id, binding, only_for, name }: StandingDecision) {
  const whom = only_for === undefined ? {} : { whom: name };
  return { id, tool: binding.tool, to: destinationText(binding.values), ...whom, by: name };
}
