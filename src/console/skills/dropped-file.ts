import type { Actions } from "../state/actions.ts";

/** Allows dropping files here. Otherwise the browser would leave the page to open them. */
export function allowDrop(event: DragEvent): void {
  if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
}

/** Reviews a dropped archive. */
export function takeDropped(event: DragEvent, actions: Actions): void {
  const [item, second] = event.dataTransfer?.items ?? [];
  if (item?.kind !== "file") return;
  event.preventDefault();
  const file = item.getAsFile();
  const isFolder = item.webkitGetAsEntry()?.isDirectory === true;
  actions.install.begin(isFolder || second !== undefined ? undefined : (file ?? undefined));
  if (isFolder) actions.install.refuse("This is a folder. Pack it as .zip or .tar.gz and drop the archive.");
  else if (second !== undefined) actions.install.refuse("Drop one archive at a time.");
}
