import { describe } from "vitest";
import { chatCommandContract } from "../contract/chat-command-contract.ts";
import { chatSurfaceContract } from "../contract/chat-surface-contract.ts";
import { chatWorkContract } from "../contract/chat-work-contract.ts";
import { surfaceCapabilities, useChatSurfaces } from "../support/surfaces/use-chat-surfaces.ts";

const fixture = useChatSurfaces();

describe.each(surfaceCapabilities)("on $name", ({ name, can }) => {
  const surface = { name, can, fixture };
  chatSurfaceContract(surface);
  chatWorkContract(surface);
  chatCommandContract(surface);
});
