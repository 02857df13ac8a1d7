/** What a button of the bot's messages does. */
export type ButtonAction =
  | { action: TurnAction; turn_id: string }
  | { action: "answer"; turn_id: string; choice: number }
  | { action: "approve" | "refuse" | "always" | "turn"; turn_id: string; approval_id: string }
  | { action: "wanted" | "unwanted"; token: string };

/** Actions on a whole turn. */
export type TurnAction = (typeof turnActions)[number];

const turnActions = ["stop", "details", "again", "continue", "good", "bad", "forget"] as const;

const decisions = ["approve", "refuse", "always", "turn"] as const;

/** Ids are UUIDs; anything that could be more than an id is no button of ours. */
const id = "[A-Za-z0-9-]{1,64}";
const onTurn = new RegExp(`^(${turnActions.join("|")}):(${id})$`);
/** Below an answer that grows; does the same as `stop`. */
const onAnswer = new RegExp(`^stop-answer:(${id})$`);
const onQuestion = new RegExp(`^answer:(${id}):(\\d{1,3})$`);
const onApproval = new RegExp(`^(approve|refuse|always|turn):((${id}):\\d{1,6})$`);
const onLate = new RegExp(`^(wanted|unwanted):(${id})$`);

/** The action of `OutgoingButton.id`; undefined for anything that is not one of ours. */
export function parseButton(button: string): ButtonAction | undefined {
  const [, late, token] = onLate.exec(button) ?? [];
  if ((late === "wanted" || late === "unwanted") && token !== undefined) return { action: late, token };
  const [, decision, approval_id, of] = onApproval.exec(button) ?? [];
  const verdict = decisions.find((each) => each === decision);
  if (verdict !== undefined && approval_id !== undefined && of !== undefined)
    return { action: verdict, turn_id: of, approval_id };
  const [, asking, choice] = onQuestion.exec(button) ?? [];
  if (asking !== undefined) return { action: "answer", turn_id: asking, choice: Number(choice) };
  const [, growing] = onAnswer.exec(button) ?? [];
  if (growing !== undefined) return { action: "stop", turn_id: growing };
  const [, word, turn_id] = onTurn.exec(button) ?? [];
  const action = turnActions.find((each) => each === word);
  return action === undefined || turn_id === undefined ? undefined : { action, turn_id };
}
