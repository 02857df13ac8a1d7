import { z } from "zod";
import { escapeMarkdown } from "../../base/markdown-text.ts";
import {
  readStanding,
  removeStanding,
  type StandingDecision,
} from "../../core/decisions/standing-decisions.ts";
import type { Outcome } from "../../core/values/failure.ts";
import { mayApprove } from "../../core/values/inbound.ts";
import { namespaceSchema } from "../../core/values/place.ts";
import { type OperationCall, operation } from "./operation.ts";

export const removeApproval = operation({
  name: "approval.remove",
  input: z.object({
    namespace: namespaceSchema,
    id: z.number().describe("the number that approval.list shows"),
  }),
  output: z.object({ tool: z.string(), verdict: z.enum(["always", "never"]) }),
  who: { decide: mayRemove },
  chat: [
    {
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
  ],
  text: ({ tool }) => `**${escapeMarkdown(tool)}** asks again here.`,
  async run(call) {
    const found = await decisionOf(call);
    if (!found.ok) return found;
    const { id, binding, verdict } = found.value;
    await removeStanding(call.services.store, call.input.namespace, id);
    return { ok: true, value: { tool: binding.tool, verdict } };
  },
  audit: ({ tool, verdict }) => ({
    action: "approval_removed",
    subject: tool,
    detail: `no longer ${verdict === "always" ? "always allows" : "refuses"} **${escapeMarkdown(tool)}**`,
  }),
});

type Removal = OperationCall<{ namespace: string; id: number }>;

async function decisionOf({
  input: { namespace, id },
  services,
}: Removal): Promise<Outcome<StandingDecision>> {
  const found = (await readStanding(services.store, namespace)).find((each) => each.id === id);
  if (found !== undefined) return { ok: true, value: found };
  return {
    ok: false,
    status: 404,
    message: "There is no decision with that number. `/agent approvals` shows them.",
  };
}

/** The person who decided and managers may remove a decision; matching calls then ask again. */
async function mayRemove(call: Removal): Promise<Outcome<unknown>> {
  const found = await decisionOf(call);
  if (!found.ok || mayApprove(call.asker.by, "asker", { author: { id: found.value.by } })) return found;
  const message = `Only ${escapeMarkdown(found.value.name)} or a manager of this channel may remove that decision.`;
  return { ok: false, status: 403, message };
}
