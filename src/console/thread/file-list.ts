import { html, nothing, type TemplateResult } from "lit-html";
import type { FileView } from "../../core/log/turn-view.ts";
import { formatBytes } from "../../core/values/shown.ts";
import { icon } from "../page/icons.ts";
import type { Actions } from "../state/actions.ts";
import { isPicture, pictureKey } from "../state/file-actions.ts";
import type { ConsoleState } from "../state/state.ts";

/** Files of a turn, attached or made: pictures as they are, everything to download. */
export function fileList(
  files: readonly FileView[],
  label: string,
  state: ConsoleState,
  actions: Actions,
): TemplateResult | typeof nothing {
  if (files.length === 0) return nothing;
  return html`<ul class="files" aria-label=${label}>
    ${files.map((file) => html`<li>${picture(file, state)}${downloadButton(file, actions)}</li>`)}
  </ul>`;
}

function picture(file: FileView, { pictures }: ConsoleState): TemplateResult | typeof nothing {
  const source = isPicture(file) ? pictures.get(pictureKey(file)) : undefined;
  if (source === undefined) return nothing;
  return html`<img class="file-picture" src=${source} alt=${file.name} />`;
}

function downloadButton(file: FileView, actions: Actions): TemplateResult {
  return html`<button
    type="button"
    class="button file-button"
    aria-label="Download ${file.name}"
    @click=${() => actions.files.download(file)}
  >
    ${icon("page")} <span>${file.name}</span> <span class="duration">${formatBytes(file.bytes)}</span>
  </button>`;
}
