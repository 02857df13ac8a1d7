import type { ApprovalView } from "../../core/log/turn-view.ts";
import { alwaysLabel, alwaysText, exactJson, shownCall, turnLabel } from "../../core/values/shown.ts";
import type { Verdict } from "../../core/values/verdict.ts";
import { type PersonPrompt, readUntil } from "./ask-person.ts";
import type { Paint } from "./paint.ts";
import { plainLine, plainText } from "./plain-text.ts";

/** Shows the arguments of a tool, and reads lines until the person decides. Undefined if `over` aborts first. */
export function decidePerson(
  approval: ApprovalView,
  over: AbortSignal,
  person: PersonPrompt,
): Promise<Verdict | undefined> {
  const { paint, say } = person;
  const also = otherWords(approval);
  const others = also.map(({ key, does }) => `, ${key} ${does}`).join("");
  return readUntil(approvalLines(approval, others, paint), over, person, (line) => {
    const word = line.trim().toLowerCase();
    if (word === "y" || word === "yes") return "once";
    if (word === "n" || word === "no") return "refuse";
    const other = also.find(({ verdict, key }) => word === verdict || word === key);
    if (other === undefined) say(paint.dim(`y runs it, n refuses it${others}.`));
    return other?.verdict;
  });
}

/** The answers other than yes and no. */
function otherWords(approval: ApprovalView) {
  const { binds, input } = approval;
  const turn = { verdict: "turn", key: "t", does: "allows it for this turn" } as const;
  const any = binds === undefined ? "" : plainLine(alwaysLabel({ binds, input }).replace("Always here", ""));
  const always = { verdict: "always", key: "a", does: `allows it here from now on${any}` } as const;
  const never = { verdict: "never", key: "never", does: "refuses it here from now on" } as const;
  return [
    ...(turnLabel(approval) === undefined ? [] : [turn]),
    ...(binds === undefined ? [] : [always, never]),
  ];
}

/** The lines of an approval with its exact arguments, above the prompt. */
function approvalLines(approval: ApprovalView, others: string, paint: Paint): string[] {
  const { input, approver, person, question, reason, binds } = approval;
  const { sentence, asker } = shownCall(approval);
  return [
    paint.bold(plainLine(asker === undefined ? sentence : `The skill ${asker} asks: ${sentence}`)),
    `${person?.name ?? who[approver]} may decide.`,
    ...(reason === undefined ? [] : [plainLine(reason)]),
    ...plainText(exactJson(input))
      .split("\n")
      .map((line) => `  ${line}`),
    ...(binds === undefined ? [] : [paint.dim(plainLine(alwaysText({ binds, input })))]),
    paint.dim(`${question === undefined ? "Run" : "Allow"} it? y or n${others}:`),
  ];
}

const who = {
  asker: "You",
  guest: "Anybody",
  member: "A member",
  manager: "A manager",
  operator: "An operator",
};
