/**
 * The stand-in as a process of its own: started with `fork`, it sends its address and takes one control message after another.
 * It ends with its parent.
 */

import { scriptOf } from "./script.ts";
import type { ControlMessage, ControlReply } from "./spawn-vendors.ts";
import { startVendors } from "./vendors.ts";

const vendors = await startVendors();

process.on("message", (message: ControlMessage) => {
  const reply: ControlReply = { id: message.id, requests: control(message) };
  process.send?.(reply);
});
process.on("disconnect", () => process.exit());
process.send?.({ url: vendors.url });

function control(message: ControlMessage) {
  switch (message.type) {
    case "requests":
      return vendors.requests();
    case "answers":
      return void vendors.script(scriptOf(message.answers));
    case "fail":
      return void vendors.fail(message.fault);
    case "refuse":
      return void vendors.refuse(message.model, ...message.features);
    case "advance":
      return void vendors.advance(message.ms);
    case "reset":
      return void vendors.reset({ ...message.options, script: scriptOf(message.answers ?? []) });
  }
}
