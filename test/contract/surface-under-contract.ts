import type { Capabilities } from "../support/surfaces/chat-surface.ts";
import type { ChatSurfaces, SurfaceName } from "../support/surfaces/use-chat-surfaces.ts";

/** A surface as a contract is run on it. What it can do is known before anything runs, so that cases are skipped by name. */
export interface SurfaceUnderContract {
  name: SurfaceName;
  can: Capabilities;
  fixture: () => ChatSurfaces;
}

let words = 0;

/** A word nobody has used: the model knows by it what is asked. */
export function newWord(what: string): string {
  words += 1;
  return `${what}-${words}-word`;
}
