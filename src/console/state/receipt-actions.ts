import type { Session } from "./session.ts";
import type { ConsoleStore, ReceiptState } from "./state.ts";

export type ReceiptActions = ReturnType<typeof createReceiptActions>;

const modelCommand = "/agent model ";

/** Receipts of answers, and replays of their turns on other models. */
export function createReceiptActions(store: ConsoleStore, session: Session) {
  const change = (turnId: string, more: ReceiptState | undefined) =>
    store.set(({ receipts }) => {
      const others = new Map(receipts);
      if (more === undefined) others.delete(turnId);
      else others.set(turnId, { ...receipts.get(turnId), ...more });
      return { receipts: others };
    });
  const open = async (turnId: string) => {
    change(turnId, {});
    const { namespace } = store.get().open;
    const [receipt, choices] = await Promise.all([
      session.call("turn.receipt", { id: turnId }),
      session.call("command.complete", { namespace, text: modelCommand }, () => undefined),
    ]);
    if (receipt === undefined) return change(turnId, undefined);
    const names = choices?.completions.map(({ label }) => label) ?? [];
    change(turnId, { receipt, models: names.filter((name) => name.includes("/")) });
  };
  return {
    /** Opens the receipt of a turn, which is read anew, or closes it. */
    toggle(turnId: string) {
      if (store.get().receipts.has(turnId)) change(turnId, undefined);
      else void open(turnId);
    },
    /** Has another model answer the turn again. */
    async replay(turnId: string, model: string) {
      change(turnId, { replaying: model, replay: undefined, problem: undefined });
      const replay = await session.call("turn.replay", { id: turnId, model }, ({ detail }) =>
        change(turnId, { problem: detail }),
      );
      change(turnId, { replaying: undefined, replay });
    },
  };
}
