import { html, nothing, type TemplateResult } from "lit-html";
import { formatBytes } from "../../base/amounts.ts";
import { icon } from "../page/icons.ts";
import type { Actions } from "../state/actions.ts";
import { filesIn } from "./chosen-files.ts";

/** The files attached to the draft. */
export function chosenFiles(files: readonly File[], actions: Actions): TemplateResult | typeof nothing {
  if (files.length === 0) return nothing;
  return html`<ul class="pasted" aria-label="Files to send">
    ${files.map(
      (file, index) => html`<li class="chip" data-testid="chosen-file">
        ${icon(file.type.startsWith("image/") ? "picture" : "page")}
        <span>${file.name}, ${formatBytes(file.size)}</span>
        <button
          type="button"
          class="icon-button is-small"
          aria-label="Remove ${file.name}"
          @click=${() => actions.draft.removeFile(index)}
        >
          ${icon("close")}
        </button>
      </li>`,
    )}
  </ul>`;
}

/** Shown while files are dragged over the page. */
export function dropArea(isOver: boolean): TemplateResult | typeof nothing {
  if (!isOver) return nothing;
  return html`<div class="drop-area" data-testid="drop-area">${icon("attach")} <span>Drop files to attach them</span></div>`;
}

/** Attaches files that are dropped anywhere on the page. Otherwise the browser would leave the page to open them. */
export function takeDrops(target: EventTarget, actions: Actions): void {
  const on = (type: string, react: (event: DragEvent) => void) =>
    target.addEventListener(type, (event) => {
      if (!(event instanceof DragEvent) || event.dataTransfer?.types.includes("Files") !== true) return;
      event.preventDefault();
      react(event);
    });
  on("dragover", () => actions.draft.dropping(true));
  on("dragleave", ({ relatedTarget }) => {
    if (relatedTarget === null) actions.draft.dropping(false);
  });
  on("drop", ({ dataTransfer }) => actions.draft.attach(filesIn(dataTransfer)));
}
