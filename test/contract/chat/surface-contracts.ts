import { describe } from "vitest";
import {
  capabilitiesOf,
  type SurfaceName,
  useChatSurfaces,
} from "../../support/surfaces/use-chat-surfaces.ts";
import { chatCommandContract } from "./chat-command-contract.ts";
import { chatSurfaceContract } from "./chat-surface-contract.ts";
import { chatWorkContract } from "./chat-work-contract.ts";

/** Runs all contracts of surfaces on these, of one bot: all surfaces at once, the cases of each one after the other. */
export function surfaceContracts(names: readonly SurfaceName[]): void {
  const fixture = useChatSurfaces(names);
  for (const name of names) {
    const surface = { name, can: capabilitiesOf(name), fixture };
    describe(`on ${name}`, { concurrent: true }, () => {
      describe("a conversation", { concurrent: false }, () => {
        chatSurfaceContract(surface);
        chatWorkContract(surface);
        chatCommandContract(surface);
      });
    });
  }
}
