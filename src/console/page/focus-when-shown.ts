/** For lit's `ref`: focuses an element when it appears, and not with every rendering. Use this very function. */
export function focusWhenShown(element: Element | undefined): void {
  // The element is attached to the page after its references are set.
  if (element instanceof HTMLElement) queueMicrotask(() => element.focus());
}
