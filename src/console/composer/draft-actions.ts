import type { BrowserStorage } from "../state/browser-storage.ts";
import type { Session } from "../state/session.ts";
import type { ConsoleStore, Draft } from "../state/state.ts";
import { turnsOf } from "../state/timeline.ts";
import { chooseFiles } from "./chosen-files.ts";

export type DraftActions = ReturnType<typeof createDraftActions>;

/** Length from which a pasted text becomes a piece of its own, characters. */
const longPaste = 6_000;

/** Maximum length of a text that is completed, characters. */
const maxCommand = 300;

/** The draft, its long pasted pieces, and the completion of commands. */
export function createDraftActions(store: ConsoleStore, session: Session, storage: BrowserStorage) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const keep = () => storage.keepDraft(store.get().open, store.get().draft);
  const setDraft = (draft: Draft) => {
    store.set({ draft });
    clearTimeout(timer);
    timer = setTimeout(keep, 300);
  };
  const complete = async (text: string) => {
    if (!isCompletable(text)) return store.set({ completions: undefined });
    const { namespace } = store.get().open;
    const found = await session.call("command.complete", { text, namespace }, () => undefined);
    if (store.get().draft.text !== text) return;
    const items = found?.completions ?? [];
    const shown = items.length > 0;
    store.set({ completions: shown ? { text, items, selected: 0 } : undefined });
  };
  const write = (text: string) => {
    setDraft({ ...store.get().draft, text });
    void complete(text);
  };
  const dropPasted = (index: number) => store.get().draft.pasted.filter((_, other) => other !== index);
  return {
    write,
    /** Keeps a long pasted text out of the editor; false if it should be pasted as usual. */
    paste(text: string) {
      if (text.length < longPaste) return false;
      const { draft } = store.get();
      setDraft({ ...draft, pasted: [...draft.pasted, text] });
      return true;
    },
    /** Moves a long pasted piece into the editor. */
    unfoldPasted(index: number) {
      const { draft } = store.get();
      const text = [draft.text, draft.pasted[index] ?? ""].filter((part) => part !== "").join("\n\n");
      setDraft({ ...draft, text, pasted: dropPasted(index) });
    },
    /** Attaches files; a notice says which are too large or too many. */
    attach(files: readonly File[]) {
      const { draft } = store.get();
      const { taken, problem } = chooseFiles(draft.files, files);
      store.set({ notice: problem, dropping: false });
      if (taken.length > 0) setDraft({ ...draft, files: [...draft.files, ...taken] });
    },
    removeFile(index: number) {
      const { draft } = store.get();
      setDraft({ ...draft, files: draft.files.filter((_, other) => other !== index) });
    },
    /** Notes whether files are dragged over the page. */
    dropping(isOver: boolean) {
      if (store.get().dropping !== isOver) store.set({ dropping: isOver });
    },
    removePasted: (index: number) => setDraft({ ...store.get().draft, pasted: dropPasted(index) }),
    selectCompletion(step: 1 | -1) {
      const { completions } = store.get();
      if (completions === undefined) return;
      const count = completions.items.length;
      store.set({ completions: { ...completions, selected: (completions.selected + step + count) % count } });
    },
    /** Accepts a completion, by default the selected one. */
    acceptCompletion(index?: number) {
      const { completions, draft } = store.get();
      // Without an index the keyboard accepts it, which must not use the list of an older text.
      if (index === undefined && completions?.text !== draft.text) return;
      const item = completions?.items[index ?? completions.selected];
      if (item !== undefined) write(item.text);
    },
    closeCompletions: () => store.set({ completions: undefined }),
    /** Puts the last message of the thread into the empty editor. False if there is none. */
    recall() {
      const last = turnsOf(store.get().timeline).at(-1)?.said;
      if (last === undefined || last.length >= longPaste) return false;
      setDraft({ ...store.get().draft, text: last });
      return true;
    },
    /** Stores the draft at once, e.g. before the page closes. */
    keep,
  };
}

function isCompletable(text: string): boolean {
  return /^[/／]/.test(text) && text.length <= maxCommand && !text.includes("\n");
}
