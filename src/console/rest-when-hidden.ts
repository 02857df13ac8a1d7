/** So long a window may be hidden and still be kept up to date, ms. */
const patience = 5_000;

/**
 * Browsers hold six connections to a server at most, for all windows together (HTTP/1.1): a window that nobody sees gives its
 * own back, and catches up when it is looked at again.
 */
export function restWhenHidden(page: Document, { rest, resume }: { rest(): void; resume(): void }): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  page.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (page.hidden) timer = setTimeout(rest, patience);
    else resume();
  });
}
