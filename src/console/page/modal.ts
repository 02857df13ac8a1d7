import { html, type TemplateResult } from "lit-html";
import { ref } from "lit-html/directives/ref.js";

/** A modal dialog. Escape and a click outside close it. The browser keeps the focus inside and restores it. */
export function modal({
  labelledBy,
  close,
  content,
}: {
  labelledBy: string;
  close: () => void;
  content: TemplateResult;
}): TemplateResult {
  const onClick = (event: Event) => {
    if (event.target === event.currentTarget) close();
  };
  return html`<dialog class="modal" aria-labelledby=${labelledBy} ${ref(showModal)} @close=${close} @click=${onClick}>
    <div class="modal-content">${content}</div>
  </dialog>`;
}

/** A constant function, so that lit calls it only when the dialog appears. */
function showModal(element: Element | undefined): void {
  if (element instanceof HTMLDialogElement && !element.open) {
    // The element is attached to the page after its references are set.
    queueMicrotask(() => element.isConnected && !element.open && element.showModal());
  }
}

/** For lit's `ref`: focuses an element when it appears. Pass this function itself, or lit calls it at each rendering. */
export function focusWhenShown(element: Element | undefined): void {
  // The element is attached to the page after its references are set.
  if (element instanceof HTMLElement) queueMicrotask(() => element.focus());
}
