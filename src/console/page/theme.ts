import type { ConsoleState } from "../state/state.ts";

/** Shows the page light or dark; `system` follows the system. early-theme.ts does the same before the first paint. */
export function applyTheme(page: HTMLElement, theme: ConsoleState["theme"]): void {
  if (theme === "system") delete page.dataset.theme;
  else page.dataset.theme = theme;
}
