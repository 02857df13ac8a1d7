import { z } from "zod";
import { nearestNames } from "../../base/nearest-name.ts";
import { handoverTo } from "../profile.ts";
import { defineMetaTool, failure, ok } from "./meta-tool.ts";

/** Gives the turn to another agent profile: its instructions hold from the next step on. */
export const createHandoff = () =>
  defineMetaTool({
    name: "handoff",
    category: "handoff",
    title: ({ to }) => `Handing over to ${to}`,
    description:
      "Gives this turn to another agent that fits the task better; it goes on with the same conversation.",
    parameters: z.object({
      to: z.string().min(1).describe("the agent's id"),
      reason: z.string().max(500).default("").describe("what it should do"),
    }),
    effect: "idempotent",
    offered: ({ profiles }) => profiles.length > 1,
    run: async ({ to, reason }, context, scope) => {
      const ids = handoverTo(scope.turn.profiles).map((each) => each.id);
      if (!ids.includes(to)) {
        const [near] = nearestNames(to, ids);
        const hint = `${near === undefined ? "" : `Did you mean ${near}? `}Agents: ${ids.join(", ")}.`;
        return failure("unknown_agent", `There is no agent ${to}.`, hint);
      }
      if (context.agent === to) return ok(`You are ${to} already. Go on.`);
      await scope.emit({ type: "handoff", from: context.agent, to });
      return ok(reason === "" ? "Handed over." : `Handed over: ${reason}`);
    },
  });
