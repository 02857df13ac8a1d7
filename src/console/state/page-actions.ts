import type { BrowserStorage } from "./browser-storage.ts";
import type { ConsoleStore, Dialog } from "./state.ts";

export type PageActions = ReturnType<typeof createPageActions>;

const nextTheme = { system: "light", light: "dark", dark: "system" } as const;

/** Actions on the page itself. */
export function createPageActions(store: ConsoleStore, storage: BrowserStorage) {
  return {
    /** Opens or closes a part by its key. */
    disclose(key: string, open: boolean) {
      store.set(({ disclosed }) => ({ disclosed: new Map(disclosed).set(key, open) }));
    },
    toggleSidebar: () => store.set(({ sidebarOpen }) => ({ sidebarOpen: !sidebarOpen })),
    show: (dialog: Dialog) => store.set({ dialog, switcher: { query: "", selected: 0 } }),
    searchTargets: (query: string) => store.set({ switcher: { query, selected: 0 } }),
    selectTarget: (selected: number) =>
      store.set(({ switcher }) => ({ switcher: { ...switcher, selected } })),
    dismissNotice: () => store.set({ notice: undefined }),
    nextTheme() {
      const theme = nextTheme[store.get().theme];
      storage.keepTheme(theme);
      store.set({ theme });
    },
  };
}
