import type { Actions } from "../state/actions.ts";
import type { ConsoleStore } from "../state/state.ts";

/** Global keys: Ctrl or Cmd K opens the switcher, Escape closes a part or stops turns, `/` begins a command. */
export function enableKeyboard(page: Document, store: ConsoleStore, actions: Actions): void {
  page.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    if (event.key === "Escape") closeTopmost(page, store, actions);
    else if (isSwitcherKey(event)) {
      event.preventDefault();
      toggleSwitcher(store, actions);
    } else if (event.key === "/" && !isWriting(event.target)) {
      event.preventDefault();
      page.getElementById("composer")?.focus();
      if (store.get().draft.text === "") actions.draft.write("/");
    }
  });
}

function isSwitcherKey(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
}

function toggleSwitcher(store: ConsoleStore, actions: Actions): void {
  const { dialog } = store.get();
  if (dialog !== "token") actions.page.show(dialog === "switcher" ? undefined : "switcher");
}

/** A dialog closes itself. If there is nothing to close, Escape stops the turns of the thread. */
function closeTopmost(page: Document, store: ConsoleStore, actions: Actions): void {
  const { dialog, addingChannel, sidebarOpen, skills, notice } = store.get();
  if (dialog !== undefined) return;
  if (addingChannel !== undefined) actions.channels.showChannelForm(false);
  else if (sidebarOpen) actions.page.toggleSidebar();
  else if (notice !== undefined) actions.page.dismissNotice();
  else if (skills.open && skills.detailId !== undefined) actions.skills.showSkill(undefined);
  else if (skills.open) {
    actions.skills.togglePanel();
    page.getElementById("skills-toggle")?.focus();
  } else actions.messages.stopAll();
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, select, dialog") !== null;
}
