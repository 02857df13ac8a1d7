import type { Session } from "./session.ts";
import type { ConsoleStore, ReceiptState } from "./state.ts";

/** Receipts of answers, and replays of their turns on other models. */
export interface ReceiptActions {
  /** Opens the receipt of a turn, which is read anew, or closes it. */
  toggle(turnId: string): void;
  /** Has another model answer the turn again. */
  replay(turnId: string, model: string): void;
}

const modelCommand = "/agent model ";

export function createReceiptActions(parts: { store: ConsoleStore; session: Session }): ReceiptActions {
  const { store, session } = parts;
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
      session.attempt((client) => client.call("turn.receipt", { id: turnId })),
      session.attempt(
        (client) => client.call("command.complete", { namespace, text: modelCommand }),
        () => undefined,
      ),
    ]);
    if (receipt === undefined) return change(turnId, undefined);
    const names = choices?.completions.map(({ label }) => label) ?? [];
    change(turnId, { receipt, models: names.filter((name) => name.includes("/")) });
  };
  return {
    toggle(turnId) {
      if (store.get().receipts.has(turnId)) change(turnId, undefined);
      else void open(turnId);
    },
    async replay(turnId, model) {
      change(turnId, { replaying: model, replay: undefined, problem: undefined });
      const replay = await session.attempt(
        (client) => client.call("turn.replay", { id: turnId, model }),
        ({ detail }) => change(turnId, { problem: detail }),
      );
      change(turnId, { replaying: undefined, replay });
    },
  };
}
