import { describe } from "vitest";
import {
  capabilitiesOf,
  type SurfaceName,
  useChatSurfaces,
} from "../../support/surfaces/use-chat-surfaces.ts";
import { chatCommandContract } from "./chat-command-contract.ts";
import { chatSurfaceContract } from "./chat-surface-contract.ts";
import { chatWorkContract } from "./chat-work-contract.ts";

/** Runs all contracts of surfaces on these, of one bot. */
export function surfaceContracts(names: readonly SurfaceName[]): void {
  const fixture = useChatSurfaces(names);
  describe.each(names)("on %s", (name) => {
    const surface = { name, can: capabilitiesOf(name), fixture };
    chatSurfaceContract(surface);
    chatWorkContract(surface);
    chatCommandContract(surface);
  });
}
