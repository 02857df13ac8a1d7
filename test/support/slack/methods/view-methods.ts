import type { Method, MethodCall } from "../api/method.ts";
import { SlackRefusal } from "../api/slack-refusal.ts";
import { renderView } from "../world/interaction-payloads.ts";
import type { Trigger } from "../world/interactivity.ts";
import { pushView, replaceView, showView } from "../world/modal-stack.ts";
import type { ViewRecord } from "../world/world.ts";

const open: Method = {
  token: "bot",
  run: (call) => {
    const { user } = takeTrigger(call);
    const record = showView(call, call.arguments.all.view, "modal", user, call.workspace.id);
    return { view: renderView(call, record) };
  },
};

const push: Method = {
  token: "bot",
  run: (call) => {
    const trigger = takeTrigger(call);
    const below = call.world.views.get(trigger.view_id ?? "");
    if (below === undefined || !below.open) throw new SlackRefusal("not_found");
    return { view: renderView(call, pushView(call, below, call.arguments.all.view)) };
  },
};

const publish: Method = {
  token: "bot",
  run: (call) => {
    const user = call.arguments.required("user_id");
    const person = call.world.users.get(user);
    if (person === undefined || person.team_id !== call.workspace.id)
      throw new SlackRefusal("user_not_found");
    const { view } = call.arguments.all;
    const home = [...call.world.views.values()].find(
      (each) => each.type === "home" && each.user === user && each.team_id === call.workspace.id,
    );
    if (home === undefined)
      return { view: renderView(call, showView(call, view, "home", user, call.workspace.id)) };
    refuseOldHash(call, home);
    replaceView(call, home, view);
    return { view: renderView(call, home) };
  },
};

function takeTrigger(call: MethodCall): Trigger {
  const trigger = call.interactivity.take(call.arguments.required("trigger_id"), call.workspace.id);
  if (typeof trigger === "string") throw new SlackRefusal(trigger);
  return trigger;
}

function refuseOldHash(call: MethodCall, record: ViewRecord): void {
  const hash = call.arguments.text("hash");
  if (hash !== undefined && hash !== record.hash) throw new SlackRefusal("hash_conflict");
}

export const viewMethods: Record<string, Method> = {
  "views.open": open,
  "views.push": push,
  "views.publish": publish,
};
