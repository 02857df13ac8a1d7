import { isRecord } from "./call-arguments.ts";
import { checkText } from "./text-rules.ts";

type Element = Record<string, unknown>;

/** Says what Slack has against a block element. `actionIds` collects the ids of its block. */
export function checkElement(
  value: unknown,
  at: string,
  problems: string[],
  actionIds: Set<string>,
  allowed: (type: string) => boolean,
): void {
  if (!isRecord(value)) {
    problems.push(`missing required field: ${at.split("/").at(-1)} [json-pointer:${at}]`);
    return;
  }
  const type = String(value.type);
  if (!allowed(type)) {
    problems.push(`unsupported type: ${type} [json-pointer:${at}/type]`);
    return;
  }
  checkActionId(value, at, problems, actionIds);
  if (type === "button") checkButton(value, at, problems);
  if (type === "icon_button" && typeof value.icon !== "string")
    problems.push(`missing required field: icon [json-pointer:${at}]`);
  if (type === "feedback_buttons")
    for (const name of ["positive_button", "negative_button"])
      checkButton(isRecord(value[name]) ? value[name] : {}, `${at}/${name}`, problems);
  if (type === "static_select" || type === "multi_static_select") checkOptions(value, at, 100, problems);
  if (type === "overflow") checkOptions(value, at, 5, problems);
  if (type === "checkboxes" || type === "radio_buttons") checkOptions(value, at, 10, problems);
  if (type === "plain_text_input" && Number(value.max_length ?? 1) > 3_000)
    problems.push(`must be less than 3001 [json-pointer:${at}/max_length]`);
  if (isRecord(value.placeholder))
    checkText(value.placeholder, `${at}/placeholder`, 150, problems, "plain_text");
  if (isRecord(value.confirm)) checkConfirm(value.confirm, `${at}/confirm`, problems);
}

function checkActionId(element: Element, at: string, problems: string[], actionIds: Set<string>): void {
  const id = element.action_id;
  if (id === undefined) return;
  if (typeof id !== "string" || id.length === 0 || id.length > 255) {
    problems.push(`must be less than 256 characters [json-pointer:${at}/action_id]`);
    return;
  }
  if (actionIds.has(id)) problems.push(`\`action_id\` already exists: ${id} [json-pointer:${at}/action_id]`);
  actionIds.add(id);
}

function checkButton(button: Element, at: string, problems: string[]): void {
  checkText(button.text, `${at}/text`, 75, problems, "plain_text");
  if (typeof button.value === "string" && button.value.length > 2_000)
    problems.push(`must be less than 2001 characters [json-pointer:${at}/value]`);
  if (typeof button.url === "string" && button.url.length > 3_000)
    problems.push(`must be less than 3001 characters [json-pointer:${at}/url]`);
  if (button.style !== undefined && button.style !== "primary" && button.style !== "danger")
    problems.push(`must be a valid enum value [json-pointer:${at}/style]`);
}

function checkOptions(element: Element, at: string, most: number, problems: string[]): void {
  const groups = Array.isArray(element.option_groups) ? element.option_groups.filter(isRecord) : undefined;
  const options = groups === undefined ? element.options : groups.flatMap((group) => group.options ?? []);
  if (!Array.isArray(options) || options.length === 0) {
    problems.push(`no less than 1 items allowed [json-pointer:${at}/options]`);
    return;
  }
  if (groups === undefined && options.length > most)
    problems.push(`no more than ${most} items allowed [json-pointer:${at}/options]`);
  if (groups !== undefined && groups.length > 100)
    problems.push(`no more than 100 items allowed [json-pointer:${at}/option_groups]`);
  for (const [index, option] of options.entries()) {
    const place = `${at}/options/${index}`;
    checkText(isRecord(option) ? option.text : undefined, `${place}/text`, 75, problems);
    const value = isRecord(option) ? option.value : undefined;
    if (typeof value !== "string" || value.length === 0 || value.length > 150)
      problems.push(`must be less than 151 characters [json-pointer:${place}/value]`);
  }
}

function checkConfirm(confirm: Element, at: string, problems: string[]): void {
  checkText(confirm.title, `${at}/title`, 100, problems, "plain_text");
  checkText(confirm.text, `${at}/text`, 300, problems);
  checkText(confirm.confirm, `${at}/confirm`, 30, problems, "plain_text");
  checkText(confirm.deny, `${at}/deny`, 30, problems, "plain_text");
}
