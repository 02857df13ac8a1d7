import type { Capabilities, ChatSurface } from "../../support/surfaces/chat-surface.ts";
import type { ChatSurfaces, SurfaceName } from "../../support/surfaces/use-chat-surfaces.ts";

/** A surface as a contract is run on it. What it can do is known before anything runs, so that cases are skipped by name. */
export interface SurfaceUnderContract {
  name: SurfaceName;
  can: Capabilities;
  fixture: () => ChatSurfaces;
}

/** The surface, once it is there. */
export function surfaceOf({ name, fixture }: SurfaceUnderContract): ChatSurface {
  const surface = fixture().surfaces.get(name);
  if (surface === undefined) throw new Error(`There is no ${name} here.`);
  return surface;
}

let words = 0;

/** A word nobody has used: the model knows by it what is asked. */
export function newWord(what: string): string {
  words += 1;
  return `${what}-${words}-word`;
}
