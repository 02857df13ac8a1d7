import { z } from "zod";
import { definePart, SkillFailure } from "../../src/core/skill/define-skill.ts";
import { objectOf } from "../../src/core/values/json.ts";
import {
  changeFacts,
  type Fact,
  type FactBook,
  maxFact,
  maxFacts,
  maxPinned,
  maxPinnedCharacters,
  sameness,
  setPinned,
  show,
  shownFactSchema,
} from "./fact.ts";

type Remembered =
  | { kind: "stored" | "known" | "pinned"; fact: Fact }
  | { kind: "full" }
  | { kind: "too_many_pinned" };

/** Stores one fact. Storing a known fact again changes nothing, except that `pinned` pins it. */
export const remember = definePart({
  title: "Remembering",
  description:
    "Remembers (notes, keeps in mind) one fact for this channel's later conversations. Never passwords, keys or private details.",
  parameters: z.object({
    text: z
      .string()
      .trim()
      .min(1)
      .max(maxFact)
      .describe("a full sentence, with dates and names instead of tomorrow and he"),
    pinned: z.boolean().default(false).describe("only when asked: part of every conversation here"),
  }),
  output: z.object({ summary: z.string(), fact: shownFactSchema }),
  readable: ({ summary }) => summary,
  effect: "idempotent",
  shares: true,
  approval: (input) => (objectOf(input).pinned === true ? pinning : undefined),
  says: (input) => ({
    deed:
      objectOf(input).pinned === true ? "pin a fact for this channel" : "remember a fact for this channel",
    quotes: "text",
    names: ["pinned"],
  }),
  async run({ text, pinned }, context) {
    const { id: author, name } = context.user;
    const said = { text, pinned, by: name || author, author, at: context.now() };
    const result = await context.step("remember", () =>
      changeFacts<Remembered>(context.store, (draft) => store(draft, said)),
    );
    if (result.kind === "full") {
      throw new SkillFailure(
        "memory_full",
        `This channel remembers ${maxFacts} facts already; nothing was stored.`,
        "Recall what is there and forget what is out of date, then try again.",
      );
    }
    if (result.kind === "too_many_pinned") {
      throw new SkillFailure(
        "too_many_pinned",
        `There is room for ${maxPinned} pinned facts of ${maxPinnedCharacters.toLocaleString("en")} characters together; nothing was stored.`,
        "Remember it without pinned, or forget a pinned fact first.",
      );
    }
    const { kind, fact } = result;
    if (fact.pinned) await context.step("pin", () => setPinned(context.store, fact, true).then(() => null));
    return { summary: summaries[kind](fact), fact: show(fact, context.time_zone) };
  },
});

/** A pinned fact affects every later conversation, so pinning needs approval. */
const pinning = {
  approver: "asker",
  reason: "A pinned fact is included in every conversation of this channel from now on.",
} as const;

const summaries: Record<"stored" | "known" | "pinned", (fact: Fact) => string> = {
  stored: ({ id, text, pinned }) => `Remembered as fact ${id}${pinned ? ", pinned" : ""}: ${text}`,
  known: ({ id, text }) => `Known already as fact ${id}: ${text}`,
  pinned: ({ id, text }) => `Fact ${id} is pinned now: ${text}`,
};

function store(draft: FactBook, said: Omit<Fact, "id">): Remembered {
  const known = draft.facts.find((fact) => sameness(fact.text) === sameness(said.text));
  if (known !== undefined && (known.pinned || !said.pinned)) return { kind: "known", fact: known };
  if (said.pinned && !hasRoomToPin(draft.facts, known?.text ?? said.text)) return { kind: "too_many_pinned" };
  if (known !== undefined) {
    known.pinned = true;
    return { kind: "pinned", fact: known };
  }
  if (draft.facts.length >= maxFacts) return { kind: "full" };
  const fact: Fact = { id: draft.next, ...said };
  draft.facts.push(fact);
  draft.next += 1;
  return { kind: "stored", fact };
}

function hasRoomToPin(facts: readonly Fact[], text: string): boolean {
  const pinned = facts.filter((fact) => fact.pinned);
  const characters = pinned.reduce((sum, fact) => sum + fact.text.length, text.length);
  return pinned.length < maxPinned && characters <= maxPinnedCharacters;
}
