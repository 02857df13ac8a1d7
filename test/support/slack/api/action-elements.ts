import { ControlRefusal } from "../control-refusal.ts";
import { isRecord } from "./call-arguments.ts";

type Fields = Record<string, unknown>;

export interface FoundElement {
  block_id: string;
  element: Fields;
  /** The input block around the element, if it is in one. */
  input?: Fields;
}

/** Every element a person can act on, in blocks and inside cards and other containers. */
export function elementsOf(blocks: readonly unknown[]): FoundElement[] {
  return blocks.filter(isRecord).flatMap((block) => {
    const block_id = String(block.block_id ?? "");
    if (block.type === "input")
      return isRecord(block.element) ? [{ block_id, element: block.element, input: block }] : [];
    const inside = [block.elements, block.actions, [block.accessory]].flatMap((each) =>
      Array.isArray(each) ? each.filter(isRecord) : [],
    );
    const nested = [block.blocks, block.cards].flatMap((each) =>
      Array.isArray(each) ? elementsOf(each) : [],
    );
    return [...inside.map((element) => ({ block_id, element })), ...nested];
  });
}

/** The elements with an action id; feedback buttons and others carry it themselves. */
export function findElement(
  blocks: readonly unknown[],
  actionId: string,
  blockId: string | undefined,
  value: unknown,
): FoundElement {
  const found = elementsOf(blocks).filter(
    ({ element, block_id }) =>
      element.action_id === actionId && (blockId === undefined || block_id === blockId),
  );
  const fitting = found.filter(
    ({ element }) => element.type !== "button" || value === undefined || element.value === value,
  );
  const [first] = fitting;
  if (first === undefined) {
    const problem = found.length === 0 ? "There is nothing with" : "No button has this value and";
    throw new ControlRefusal("no_such_element", `${problem} the action ${actionId} now.`);
  }
  if (fitting.length > 1)
    throw new ControlRefusal(
      "ambiguous_element",
      `${actionId} is there ${fitting.length} times: say block_id or value.`,
    );
  return first;
}

type Valuer = (element: Fields, value: unknown) => Fields;

/** Of dates, times and pickers: the field that holds the choice. Several choices are a list. */
const plainFields: Record<string, string> = {
  datepicker: "selected_date",
  timepicker: "selected_time",
  datetimepicker: "selected_date_time",
  users_select: "selected_user",
  conversations_select: "selected_conversation",
  channels_select: "selected_channel",
  multi_users_select: "selected_users",
  multi_conversations_select: "selected_conversations",
  multi_channels_select: "selected_channels",
  external_select: "selected_option",
  multi_external_select: "selected_options",
};

const buttonValue: Valuer = (element) => (element.value === undefined ? {} : { value: element.value });
const oneOption: Valuer = (element, value) => ({
  selected_option: value === null ? null : option(element, value),
});
const someOptions: Valuer = (element, value) => ({
  selected_options: list(value).map((each) => option(element, each)),
});

const valuers: Record<string, Valuer> = {
  button: buttonValue,
  icon_button: buttonValue,
  feedback_buttons: (element, value) => {
    const sides = [element.positive_button, element.negative_button].filter(isRecord);
    if (!sides.some((side) => side.value === value)) throw notOffered(value);
    return { value };
  },
  static_select: oneOption,
  radio_buttons: oneOption,
  overflow: oneOption,
  checkboxes: someOptions,
  multi_static_select: someOptions,
};

/** What an element says when a person sets it to `value`: the same in actions and in a view's state. */
export function elementValue(element: Fields, value: unknown): Fields {
  const type = String(element.type);
  const field = plainFields[type];
  if (field !== undefined) return { type, [field]: type.startsWith("multi_") ? list(value) : value };
  const valuer = type.endsWith("_input") ? inputValue : valuers[type];
  if (valuer === undefined) throw new ControlRefusal("not_actionable", `Nobody can act on a ${type}.`);
  return { type, ...valuer(element, value) };
}

function inputValue(element: Fields, value: unknown): Fields {
  const text = value === null || value === undefined ? null : String(value);
  const least = Number(element.min_length ?? 0);
  const most = Number(element.max_length ?? 3_000);
  if (text !== null && (text.length < least || text.length > most))
    throw new ControlRefusal("wrong_length", `Slack takes ${least} to ${most} characters here.`);
  return { value: text };
}

function option(element: Fields, value: unknown): Fields {
  const groups = Array.isArray(element.option_groups) ? element.option_groups.filter(isRecord) : [];
  const options = [element.options, ...groups.map((group) => group.options)].flatMap((each) =>
    Array.isArray(each) ? each.filter(isRecord) : [],
  );
  const found = options.find((each) => each.value === value);
  if (found === undefined) throw notOffered(value);
  return found;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

function notOffered(value: unknown): ControlRefusal {
  return new ControlRefusal("not_offered", `${JSON.stringify(value)} is not offered here.`);
}

/** The value that an element has before anyone touches it. */
export function initialValue(element: Fields): Fields {
  const type = String(element.type);
  if (type.endsWith("_input")) return { type, value: element.initial_value ?? null };
  if (type === "checkboxes" || type === "multi_static_select")
    return { type, selected_options: element.initial_options ?? [] };
  const single = type === "static_select" || type === "radio_buttons";
  const field = single ? "selected_option" : plainFields[type];
  if (field === undefined) return { type };
  const initial = element[field.replace("selected_", "initial_")];
  return { type, [field]: initial ?? (type.startsWith("multi_") ? [] : null) };
}

/** True if a required input would be sent empty. */
export function isEmptyValue(value: Fields): boolean {
  const [, content] = Object.entries(value).find(([name]) => name !== "type") ?? [];
  if (Array.isArray(content)) return content.length === 0;
  return content === null || content === undefined || content === "";
}
