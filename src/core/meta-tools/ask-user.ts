import { z } from "zod";
import { defineMetaTool, ok } from "./meta-tool.ts";

/** A question to the person who asked; the turn waits for the answer. */
export const createAskUser = () =>
  defineMetaTool({
    name: "ask_user",
    category: "hitl",
    title: "Asking you",
    description:
      "Asks the person a question and waits for the answer. Only when you cannot go on without it.",
    parameters: z.object({
      question: z.string().min(1).max(2000),
      choices: z
        .array(z.string().min(1).max(100))
        .max(5)
        .default([])
        .describe("answers to choose from, if there are some"),
    }),
    effect: "idempotent",
    max_execution_ms: 86_400_000,
    offered: (_turn, { models }) => models.main.generative,
    run: async ({ question, choices }, context) =>
      ok({ answer: await context.ask({ text: question, choices }) }),
  });
