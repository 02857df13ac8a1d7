import type { BrowserStorage } from "./browser-storage.ts";
import type { ConsoleStore, Dialog } from "./state.ts";

/** Actions on the page itself. */
export interface PageActions {
  /** Opens or closes a part by its key. */
  disclose(key: string, open: boolean): void;
  toggleSidebar(): void;
  show(dialog: Dialog): void;
  searchTargets(query: string): void;
  selectTarget(index: number): void;
  dismissNotice(): void;
  nextTheme(): void;
}

const nextTheme = { system: "light", light: "dark", dark: "system" } as const;

export function createPageActions(store: ConsoleStore, storage: BrowserStorage): PageActions {
  return {
    disclose(key, open) {
      store.set(({ disclosed }) => ({ disclosed: new Map(disclosed).set(key, open) }));
    },
    toggleSidebar: () => store.set(({ sidebarOpen }) => ({ sidebarOpen: !sidebarOpen })),
    show: (dialog) => store.set({ dialog, switcher: { query: "", selected: 0 } }),
    searchTargets: (query) => store.set({ switcher: { query, selected: 0 } }),
    selectTarget: (selected) => store.set(({ switcher }) => ({ switcher: { ...switcher, selected } })),
    dismissNotice: () => store.set({ notice: undefined }),
    nextTheme() {
      const theme = nextTheme[store.get().theme];
      storage.keepTheme(theme);
      store.set({ theme });
    },
  };
}
