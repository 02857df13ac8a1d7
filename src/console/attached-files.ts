import { html, nothing, type TemplateResult } from "lit-html";
import { formatBytes } from "../core/format-bytes.ts";
import type { Actions } from "./actions.ts";
import { icon } from "./icons.ts";

/** As the server takes them: files of a message, bytes of one and of all. */
const limits = { files: 20, bytes: 50_000_000, together: 100_000_000 };

/** Those of these files that may go with the others, and why not all of them. */
export function chooseFiles(
  before: readonly File[],
  chosen: readonly File[],
): { taken: File[]; problem: string | undefined } {
  const taken: File[] = [];
  let problem: string | undefined;
  let bytes = before.reduce((sum, { size }) => sum + size, 0);
  for (const file of chosen) {
    const refused = refusal(file, before.length + taken.length, bytes);
    problem ??= refused;
    if (refused !== undefined) continue;
    taken.push(file);
    bytes += file.size;
  }
  return { taken, problem };
}

function refusal({ name, size }: File, count: number, bytes: number): string | undefined {
  if (size > limits.bytes)
    return `${name} has ${formatBytes(size)}; a file may have ${formatBytes(limits.bytes)}.`;
  if (count >= limits.files) return `A message may have ${limits.files} files.`;
  if (bytes + size > limits.together)
    return `The files of a message may have ${formatBytes(limits.together)} together.`;
  return undefined;
}

/** Files of a paste or a drop; folders are none. */
export function filesIn(transfer: DataTransfer | null): File[] {
  const items = [...(transfer?.items ?? [])].filter(({ kind }) => kind === "file");
  return items.flatMap((item) => {
    const isFolder = item.webkitGetAsEntry?.()?.isDirectory === true;
    const file = isFolder ? null : item.getAsFile();
    return file === null ? [] : [file];
  });
}

/** The files that go with the message that is being written. */
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

/** What is shown while files are held over the page. */
export function dropArea(isOver: boolean): TemplateResult | typeof nothing {
  if (!isOver) return nothing;
  return html`<div class="drop-area" data-testid="drop-area">${icon("attach")} <span>Drop files to attach them</span></div>`;
}

/** Takes files that are dropped anywhere on the page: a browser would leave the page for them. */
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
