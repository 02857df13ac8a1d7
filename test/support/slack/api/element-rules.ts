import { isRecord } from "./call-arguments.ts";
import { checkText } from "./text-rules.ts";

type Element = Record<string, unknown>;

/** Reports what Slack rejects about a block element. `actionIds` collects the ids of its block. */
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
  elementRules[type]?.(value, at, problems);
  if (isRecord(value.placeholder))
    checkText(value.placeholder, `${at}/placeholder`, 150, problems, "plain_text");
  if (isRecord(value.confirm)) checkConfirm(value.confirm, `${at}/confirm`, problems);
}

type Rule = (element: Element, at: string, problems: string[]) => void;

const optionsUpTo =
  (most: number): Rule =>
  (element, at, problems) =>
    checkOptions(element, at, most, problems);

const elementRules: Record<string, Rule> = {
  button: (element, at, problems) => checkButton(element, at, problems),
  icon_button: (element, at, problems) => {
    if (typeof element.icon !== "string") problems.push(`missing required field: icon [json-pointer:${at}]`);
  },
  feedback_buttons: (element, at, problems) => {
    for (const name of ["positive_button", "negative_button"])
      checkButton(isRecord(element[name]) ? element[name] : {}, `${at}/${name}`, problems);
  },
  static_select: optionsUpTo(100),
  multi_static_select: optionsUpTo(100),
  overflow: optionsUpTo(5),
  checkboxes: optionsUpTo(10),
  radio_buttons: optionsUpTo(10),
  plain_text_input: (element, at, problems) => {
    if (Number(element.max_length ?? 1) > 3_000)
      problems.push(`must be less than 3001 [json-pointer:${at}/max_length]`);
  },
};

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
  for (const [index, option] of options.entries())
    checkOption(isRecord(option) ? option : {}, `${at}/options/${index}`, problems);
}

function checkOption({ text, value }: Element, at: string, problems: string[]): void {
  checkText(text, `${at}/text`, 75, problems);
  if (typeof value !== "string" || value.length === 0 || value.length > 150)
    problems.push(`must be less than 151 characters [json-pointer:${at}/value]`);
}

function checkConfirm(confirm: Element, at: string, problems: string[]): void {
  checkText(confirm.title, `${at}/title`, 100, problems, "plain_text");
  checkText(confirm.text, `${at}/text`, 300, problems);
  checkText(confirm.confirm, `${at}/confirm`, 30, problems, "plain_text");
  checkText(confirm.deny, `${at}/deny`, 30, problems, "plain_text");
}
