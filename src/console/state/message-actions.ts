import { ownTimeZone } from "../../client/api-client.ts";
import type { ApiError } from "../../client/api-error.ts";
import { type Verdict, verdictInput } from "../../core/values/verdict.ts";
import type { BrowserStorage } from "./browser-storage.ts";
import type { ChannelActions } from "./channel-actions.ts";
import type { Session } from "./session.ts";
import { type ConsoleStore, emptyDraft, type OutgoingMessage } from "./state.ts";
import { runningTurns } from "./timeline.ts";

export type MessageActions = ReturnType<typeof createMessageActions>;

/** The thread of commands given outside a thread. */
export const commandThread = "commands";

/** The command without what it needs: a form asks for it. */
const scheduleForm = /^\/agent schedule add(\s+--task)?$/i;

/** Age above which a message is sent again only on request, ms. */
const staleAfter = 5 * 60_000;

/** Messages that people send, and their input to a running turn. */
export function createMessageActions(
  store: ConsoleStore,
  session: Session,
  storage: BrowserStorage,
  open: ChannelActions["open"],
) {
  const setOutgoing = (change: (outgoing: readonly OutgoingMessage[]) => readonly OutgoingMessage[]) => {
    const outgoing = change(store.get().outgoing);
    storage.keepOutgoing(outgoing.filter(({ turn_id }) => turn_id === undefined));
    store.set({ outgoing });
  };
  const change = (key: string, members: (message: OutgoingMessage) => OutgoingMessage) =>
    setOutgoing((all) => all.map((message) => (message.key === key ? members(message) : message)));
  const deliver = createDelivery(store, session, setOutgoing, change);

  const post = (typed: string, files: readonly File[] = []) => {
    const text = typed.replace(/^／/, "/");
    const { namespace, thread: current } = store.get().open;
    const thread = current ?? (text.startsWith("/") ? commandThread : `t-${randomId()}`);
    const message = { namespace, thread, key: randomId(), text, sent_at: Date.now(), files };
    setOutgoing((all) => [...all, message]);
    open({ namespace, thread });
    deliver(message);
  };
  const stop = (turnId: string) => void session.call("turn.stop", { id: turnId });

  return {
    /** Sends the text of a suggestion or retry; without one, the draft. Empty texts are not sent. */
    send(text?: string) {
      if (text !== undefined) return post(text);
      const { draft, open: address } = store.get();
      const written = [draft.text.trim(), ...draft.pasted].filter((part) => part !== "").join("\n\n");
      if (written === "" && draft.files.length === 0) return;
      store.set({ draft: emptyDraft, completions: undefined });
      storage.keepDraft(address, emptyDraft);
      const form = scheduleForm.exec(written);
      if (form !== null)
        return store.set({
          dialog: "schedule",
          planning: { what: form[1] === undefined ? "reminder" : "task" },
        });
      const isCommand = written.startsWith("/");
      post(written, isCommand ? [] : draft.files);
      if (!isCommand || draft.files.length === 0) return;
      const notice = "Commands take no files. The files are kept for your next message.";
      store.set({ draft: { ...store.get().draft, files: draft.files }, notice });
    },
    retry(key: string) {
      const message = store.get().outgoing.find((other) => other.key === key);
      if (message === undefined) return;
      change(key, withoutProblem);
      deliver(message);
    },
    discard: (key: string) => setOutgoing((all) => all.filter((message) => message.key !== key)),
    /** Sends messages again that did not reach the server, after a reload or a reconnect. */
    resume() {
      const recent = store.get().outgoing.filter(({ sent_at }) => Date.now() - sent_at < staleAfter);
      for (const message of recent.filter(({ problem, turn_id }) => problem && turn_id === undefined)) {
        change(message.key, withoutProblem);
        deliver(message);
      }
    },
    stop,
    /** Stops all running turns of the open thread. */
    stopAll() {
      for (const { turn_id } of runningTurns(store.get().timeline)) stop(turn_id);
    },
    answer(turnId: string, question_id: string, text: string) {
      if (text.trim() === "") return;
      void session.call("turn.answer", { id: turnId, question_id, text: text.trim() });
    },
    /**
     * Decides an approval.
     * @param text replaces the quoted text of the call, which is approved
     */
    async approve(approvalId: string, verdict: Verdict, text?: string) {
      const input = { id: approvalId, ...verdictInput(verdict), text };
      const decided = await session.call("approval.decide", input);
      if (decided?.decided === false)
        store.set({ notice: "Someone has already decided this, or it has expired." });
    },
    /** Deletes a turn permanently. */
    forget: (turnId: string) => void session.call("turn.forget", { id: turnId }),
  };
}

/** Delivers messages one after another, so that they arrive in order. */
function createDelivery(
  store: ConsoleStore,
  session: Session,
  setOutgoing: (change: (outgoing: readonly OutgoingMessage[]) => readonly OutgoingMessage[]) => void,
  change: (key: string, members: (message: OutgoingMessage) => OutgoingMessage) => void,
): (message: OutgoingMessage) => void {
  let line: Promise<void> = Promise.resolve();
  const deliver = async ({ namespace, thread, key, text, files = [] }: OutgoingMessage) => {
    const failed = ({ detail, status }: ApiError) => {
      const problem =
        status === 0 ? "Not sent: Knack did not answer. Check that it is running, then send again." : detail;
      change(key, (message) => ({ ...message, problem }));
    };
    const accepted = await session.attempt(
      (client) =>
        client.submitTurn(
          { namespace, thread, key, text, ...ownTimeZone() },
          files.map((content) => ({ name: content.name, content })),
        ),
      failed,
    );
    if (accepted === undefined) {
      if (store.get().dialog === "token")
        change(key, (message) => ({ ...message, problem: "Not sent yet." }));
      return;
    }
    if (store.get().timeline.has(accepted.turn_id)) {
      setOutgoing((all) => all.filter((message) => message.key !== key));
    } else change(key, (message) => ({ ...message, turn_id: accepted.turn_id }));
  };
  return (message) => {
    line = line.then(() => deliver(message));
  };
}

function withoutProblem({ problem: _, ...message }: OutgoingMessage): OutgoingMessage {
  return message;
}

/** 128 random bits as hex. Unlike `crypto.randomUUID` it also works on a page that was not loaded over HTTPS. */
function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
