import type { FileView } from "../../core/log/turn-view.ts";
import type { Session } from "./session.ts";
import type { ConsoleState, ConsoleStore } from "./state.ts";
import { turnsOf } from "./timeline.ts";

export type FileActions = ReturnType<typeof createFileActions>;

/** Larger pictures are only offered for download, bytes. */
const maxPicture = 5_000_000;

/** Delay before a picture that failed to load is requested again, ms. */
const retryAfter = 15_000;

/** Whether the console shows a file as a picture: only formats without active content. */
export function isPicture({ media_type, bytes }: FileView): boolean {
  return /^image\/(png|jpeg|gif|webp)$/.test(media_type) && bytes <= maxPicture;
}

/** Key of a picture's current content: a replaced file keeps its address. */
export function pictureKey({ url, bytes }: FileView): string {
  return `${url} ${bytes}`;
}

/** Files of turns. They are fetched by script, since a link could not send the token. */
export function createFileActions(store: ConsoleStore, session: Session) {
  const asked = new Set<string>();
  const askLater = (file: FileView) => {
    setTimeout(() => asked.delete(pictureKey(file)), retryAfter);
  };
  const load = async (file: FileView) => {
    const blob = await session.attempt(
      (client) => client.file(file.url),
      () => undefined,
    );
    if (blob === undefined) return askLater(file);
    const address = await dataAddress(blob);
    store.set(({ pictures }) => ({ pictures: new Map(pictures).set(pictureKey(file), address) }));
  };
  const loadNew = ({ timeline }: ConsoleState) => {
    const shown = turnsOf(timeline).flatMap(({ attachments, files }) => [...attachments, ...files]);
    for (const file of shown.filter(isPicture)) {
      if (asked.has(pictureKey(file))) continue;
      asked.add(pictureKey(file));
      load(file).catch(() => askLater(file));
    }
  };
  store.subscribe(loadNew);
  return {
    /** Saves the file with the browser. */
    async download({ url, name }: FileView) {
      const blob = await session.attempt((client) => client.file(url));
      if (blob !== undefined) saveAs(blob, name);
    },
  };
}

/** The content as a data address: the page may not load pictures from elsewhere, and a data address needs no token. */
function dataAddress(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

function saveAs(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
