import {
  elementsOf,
  elementValue,
  type FoundElement,
  initialValue,
  isEmptyValue,
} from "./api/action-elements.ts";
import { isRecord } from "./api/call-arguments.ts";
import type { Backend } from "./api/method.ts";
import { SlackRefusal } from "./api/slack-refusal.ts";
import { ControlRefusal } from "./control-refusal.ts";
import { requireWorkspace } from "./workspace-controls.ts";
import { interactionBase, renderView } from "./world/interaction-payloads.ts";
import { pushView, replaceView } from "./world/modal-stack.ts";
import type { ViewRecord } from "./world/world.ts";

type Fields = Record<string, unknown>;

interface Submission {
  user: string;
  /** One of the two says which view. */
  view_id?: string;
  callback_id?: string;
  /** Input of the person, by block id and action id. Other inputs keep their initial values. */
  values?: Record<string, Record<string, unknown>>;
}

/** Actions of people in open views. */
export function viewControls(backend: Backend) {
  return {
    /** Submits the topmost modal. Refused if Slack's own checks of the inputs would stop the person. */
    submitView: (given: Submission) => {
      const record = topModal(backend, given);
      if (record.view.submit === undefined && !record.blocks.some((block) => block.type === "input"))
        throw new ControlRefusal("no_submit", "This view has no submit button.");
      const values = valuesOf(record, given.values ?? {});
      const workspace = requireWorkspace(backend, record.team_id);
      record.errors = {};
      const delivery = backend.deliveries.deliver(
        "interactive",
        "view_submission",
        workspace.id,
        {
          ...interactionBase(backend, workspace, given.user),
          type: "view_submission",
          trigger_id: backend.interactivity.trigger(given.user, workspace.id, record.id),
          view: renderView(backend, record, values),
          response_urls: [],
        },
        (response) => applyResponse(backend, record, response),
      );
      return { id: delivery.id };
    },
  };
}

/** A view that the person sees now, by id. */
export function requireView(backend: Backend, user: string, id: string): ViewRecord {
  const record = backend.world.views.get(id);
  if (record === undefined || record.user !== user || !record.open)
    throw new ControlRefusal("view_not_found", `${user} has no view ${id} open.`);
  return record;
}

function topModal(backend: Backend, given: Omit<Submission, "values">): ViewRecord {
  const open = [...backend.world.views.values()].filter(
    (view) => view.type === "modal" && view.user === given.user && view.open,
  );
  const top = open.at(-1);
  const fits =
    top !== undefined && [top.id, top.callback_id].includes(given.view_id ?? given.callback_id ?? "");
  if (!fits) throw new ControlRefusal("view_not_found", `${given.user} does not have this view on top.`);
  return top;
}

type Entered = Record<string, Record<string, unknown>>;

function valuesOf(record: ViewRecord, given: Entered): Fields {
  const values: Record<string, Fields> = {};
  const elements = elementsOf(record.blocks).filter(({ element }) => element.type !== "button");
  refuseUnknownInputs(elements, given);
  for (const { block_id, element, input } of elements) {
    const action = String(element.action_id ?? "");
    const entered = given[block_id] ?? {};
    const value = action in entered ? elementValue(element, entered[action]) : initialValue(element);
    if (input !== undefined && input.optional !== true && isEmptyValue(value))
      throw new ControlRefusal("required_input", `Slack does not submit without ${block_id} ${action}.`);
    values[block_id] = { ...values[block_id], [action]: value };
  }
  return values;
}

function refuseUnknownInputs(elements: readonly FoundElement[], given: Entered): void {
  for (const [block, actions] of Object.entries(given))
    for (const action of Object.keys(actions))
      if (!elements.some(({ block_id, element }) => block_id === block && element.action_id === action))
        throw new ControlRefusal("no_such_input", `The view has no input ${block} ${action}.`);
}

/** Applies the app's response to a submission. Without a response the view closes. */
function applyResponse(backend: Backend, record: ViewRecord, response: unknown): void {
  const fields: Fields = isRecord(response) ? response : {};
  const action = fields.response_action;
  try {
    if (action === "errors") showErrors(record, fields.errors);
    else if (action === "update") replaceView(backend, record, fields.view);
    else if (action === "push") pushView(backend, record, fields.view);
    else if (action === "clear") closeAll(backend, record);
    else close(backend, record);
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error;
    record.errors = { response: error.code };
  }
}

function showErrors(record: ViewRecord, errors: unknown): void {
  const inputs = record.blocks
    .filter((block) => block.type === "input")
    .map((block) => String(block.block_id));
  const given = isRecord(errors) ? Object.entries(errors) : [];
  const known = given.length > 0 && given.every(([block]) => inputs.includes(block));
  record.errors = known
    ? Object.fromEntries(given.map(([block, text]) => [block, String(text)]))
    : { response: "errors name a block that is no input" };
}

function close(backend: Backend, record: ViewRecord): void {
  if (record.view.clear_on_close === true) closeAll(backend, record);
  record.open = false;
}

function closeAll(backend: Backend, record: ViewRecord): void {
  for (const view of backend.world.views.values())
    if (view.root_view_id === record.root_view_id) view.open = false;
}
