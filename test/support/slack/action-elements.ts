import { isRecord } from "./call-arguments.ts";
import { ControlRefusal } from "./control-refusal.ts";

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

/** What an element says when a person sets it to `value`: the same in actions and in a view's state. */
export function elementValue(element: Fields, value: unknown): Fields {
  const type = String(element.type);
  if (type === "button" || type === "icon_button")
    return { type, ...(element.value === undefined ? {} : { value: element.value }) };
  if (type === "feedback_buttons") {
    const sides = [element.positive_button, element.negative_button].filter(isRecord);
    if (!sides.some((side) => side.value === value)) throw notOffered(value);
    return { type, value };
  }
  if (type.endsWith("_input")) return inputValue(element, value);
  if (type === "checkboxes" || type === "multi_static_select")
    return { type, selected_options: list(value).map((each) => option(element, each)) };
  if (["static_select", "radio_buttons", "overflow"].includes(type))
    return { type, selected_option: value === null ? null : option(element, value) };
  if (type === "external_select") return { type, selected_option: value };
  if (type === "multi_external_select") return { type, selected_options: list(value) };
  if (type === "datepicker") return { type, selected_date: value };
  if (type === "timepicker") return { type, selected_time: value };
  if (type === "datetimepicker") return { type, selected_date_time: value };
  const select = /^(multi_)?(user|conversation|channel)s_select$/.exec(type);
  if (select === null) throw new ControlRefusal("not_actionable", `Nobody can act on a ${type}.`);
  const [, several, what] = select;
  return several === undefined
    ? { type, [`selected_${what}`]: value }
    : { type, [`selected_${what}s`]: list(value) };
}

function inputValue(element: Fields, value: unknown): Fields {
  const text = value === null || value === undefined ? null : String(value);
  const least = Number(element.min_length ?? 0);
  const most = Number(element.max_length ?? 3_000);
  if (text !== null && (text.length < least || text.length > most))
    throw new ControlRefusal("wrong_length", `Slack takes ${least} to ${most} characters here.`);
  return { type: element.type, value: text };
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
  if (type === "checkboxes" || /^multi_(static|external)_select$/.test(type))
    return { type, selected_options: element.initial_options ?? [] };
  if (["static_select", "radio_buttons", "external_select"].includes(type))
    return { type, selected_option: element.initial_option ?? null };
  const select = /^(multi_)?(user|conversation|channel)s_select$/.exec(type);
  if (select !== null) {
    const [, several, what] = select;
    return several === undefined
      ? { type, [`selected_${what}`]: element[`initial_${what}`] ?? null }
      : { type, [`selected_${what}s`]: element[`initial_${what}s`] ?? [] };
  }
  if (type === "datepicker") return { type, selected_date: element.initial_date ?? null };
  if (type === "timepicker") return { type, selected_time: element.initial_time ?? null };
  return { type };
}

/** True if a required input would be sent empty. */
export function isEmptyValue(value: Fields): boolean {
  const [, content] = Object.entries(value).find(([name]) => name !== "type") ?? [];
  if (Array.isArray(content)) return content.length === 0;
  return content === null || content === undefined || content === "";
}
