import type { Faults } from "./api/faults.ts";
import type { Backend } from "./api/method.ts";
import { transportControls } from "./transport-controls.ts";
import { viewControls } from "./view-controls.ts";
import { workspaceControls } from "./workspace-controls.ts";
import { interactionControls } from "./world/interactions.ts";
import { peopleControls } from "./world/people.ts";

/** Everything a test can make happen in the fake; each takes one object and answers JSON. */
export function createControls(backend: Backend, faults: Faults) {
  return {
    ...peopleControls(backend),
    ...workspaceControls(backend),
    ...interactionControls(backend),
    ...viewControls(backend),
    ...transportControls(backend, faults),
  };
}

export type Controls = ReturnType<typeof createControls>;
