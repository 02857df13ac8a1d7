/**
 * Makes every button with `data-copy` copy: `code` the block it heads, `answer` the Markdown in its `data-text`. The
 * button says for a moment that it did.
 */
export function enableCopying(page: Document, clipboard: Clipboard | undefined): void {
  page.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest("button[data-copy]") : null;
    if (button instanceof HTMLButtonElement) void copyFrom(button, clipboard);
  });
}

async function copyFrom(button: HTMLButtonElement, clipboard: Clipboard | undefined): Promise<void> {
  const text = button.dataset.text ?? button.closest(".code-block")?.querySelector("code")?.textContent ?? "";
  try {
    if (clipboard === undefined) throw new Error("The page was not loaded over HTTPS or from this machine");
    await clipboard.writeText(text);
    show(button, "copied");
  } catch {
    // The browser refused; the text can still be selected.
    show(button, "refused");
  }
}

function show(button: HTMLButtonElement, state: "copied" | "refused"): void {
  button.dataset.state = state;
  setTimeout(() => delete button.dataset.state, 1500);
}
