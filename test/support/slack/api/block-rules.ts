import { isRecord } from "./call-arguments.ts";
import { checkChart, checkDataTable } from "./data-rules.ts";
import { checkElement } from "./element-rules.ts";
import { refusalWithMessages, SlackRefusal } from "./slack-refusal.ts";
import { checkText } from "./text-rules.ts";

type Block = Record<string, unknown>;
export type Surface = "message" | "modal" | "home";

/** Characters of all `markdown` blocks of one message together. */
const markdownCharacters = 12_000;
/** Not documented; bolt-js #2509 saw `msg_blocks_too_long` from about here on. */
const allTextCharacters = 13_200;

/** Tasks of one plan, in a block or a stream. */
export const maxTasks = 50;

const messageOnly = new Set([
  "markdown",
  "context_actions",
  "plan",
  "task_card",
  "table",
  "data_table",
  "data_visualization",
]);

/**
 * Refuses blocks that Slack refuses: `invalid_blocks` with what is wrong where, or `msg_blocks_too_long`. Answers the blocks
 * with the block ids that Slack gives to those that have none.
 */
export function acceptBlocks(value: unknown[], surface: Surface, newId: () => string): Block[] {
  const problems: string[] = [];
  const most = surface === "message" ? 50 : 100;
  if (value.length > most) problems.push(`no more than ${most} items allowed [json-pointer:/blocks]`);
  const blocks = value.filter(isRecord);
  if (blocks.length < value.length) problems.push("must be an object [json-pointer:/blocks]");
  const blockIds = new Set<string>();
  for (const [index, block] of blocks.entries())
    checkBlock(block, surface, `/blocks/${index}`, problems, blockIds);
  if (problems.length > 0) throw refusalWithMessages("invalid_blocks", problems);
  if (surface === "message") refuseTooLong(blocks);
  return blocks.map((block) =>
    typeof block.block_id === "string" ? block : { ...block, block_id: newId() },
  );
}

function refuseTooLong(blocks: readonly Block[]): void {
  const markdown = blocks.filter((block) => block.type === "markdown").map((block) => String(block.text));
  if (markdown.join("").length > markdownCharacters) throw new SlackRefusal("msg_blocks_too_long");
  if (textLength(blocks) > allTextCharacters) throw new SlackRefusal("msg_blocks_too_long");
}

/** Characters of everything a person could read in the blocks. */
function textLength(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + textLength(each), 0);
  if (!isRecord(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [name, each]) =>
      sum + (name === "text" && typeof each === "string" ? each.length : textLength(each)),
    0,
  );
}

function checkBlock(
  block: Block,
  surface: Surface,
  at: string,
  problems: string[],
  blockIds: Set<string>,
): void {
  const type = String(block.type);
  const rule = blockRules[type];
  if (rule === undefined) {
    problems.push(`unsupported type: ${type} [json-pointer:${at}/type]`);
    return;
  }
  if (surface !== "message" && messageOnly.has(type))
    problems.push(`unsupported type: ${type} [json-pointer:${at}/type]`);
  if (typeof block.block_id === "string") {
    if (block.block_id.length > 255)
      problems.push(`must be less than 256 characters [json-pointer:${at}/block_id]`);
    if (blockIds.has(block.block_id))
      problems.push(`\`block_id\` already exists: ${block.block_id} [json-pointer:${at}/block_id]`);
    blockIds.add(block.block_id);
  }
  // An action id is unique within its block; other blocks may use it again.
  rule(block, at, problems, new Set());
}

type Rule = (block: Block, at: string, problems: string[], actionIds: Set<string>) => void;

const accessories = new Set([
  "button",
  "checkboxes",
  "datepicker",
  "image",
  "overflow",
  "radio_buttons",
  "timepicker",
  "workflow_button",
]);
const inActions = new Set(
  [...accessories, "datetimepicker", "icon_button", "feedback_buttons"].filter((type) => type !== "image"),
);
const isSelect = (type: string) => type.endsWith("_select");
const isInput = (type: string) =>
  type.endsWith("_input") ||
  ["checkboxes", "datepicker", "datetimepicker", "radio_buttons", "timepicker"].includes(type);

const blockRules: Record<string, Rule> = {
  section: (block, at, problems, ids) => {
    if (block.text === undefined && block.fields === undefined)
      problems.push(`missing required field: text [json-pointer:${at}]`);
    if (block.text !== undefined) checkText(block.text, `${at}/text`, 3_000, problems);
    checkList(block.fields, `${at}/fields`, 1, 10, problems, (field, place) =>
      checkText(field, place, 2_000, problems),
    );
    if (block.accessory !== undefined)
      checkElement(
        block.accessory,
        `${at}/accessory`,
        problems,
        ids,
        (t) => accessories.has(t) || isSelect(t),
      );
  },
  actions: (block, at, problems, ids) =>
    requireList(block.elements, `${at}/elements`, 25, problems, (element, place) =>
      checkElement(
        element,
        place,
        problems,
        ids,
        (type) => inActions.has(type) || (isSelect(type) && !type.startsWith("multi_")),
      ),
    ),
  context_actions: (block, at, problems, ids) =>
    requireList(block.elements, `${at}/elements`, 5, problems, (element, place) =>
      checkElement(element, place, problems, ids, (type) =>
        ["feedback_buttons", "icon_button"].includes(type),
      ),
    ),
  context: (block, at, problems) =>
    requireList(block.elements, `${at}/elements`, 10, problems, (element, place) => {
      const image = isRecord(element) && element.type === "image";
      if (!image) checkText(element, place, 2_000, problems);
    }),
  header: (block, at, problems) => checkText(block.text, `${at}/text`, 150, problems, "plain_text"),
  markdown: (block, at, problems) => {
    if (typeof block.text !== "string" || block.text === "")
      problems.push(`missing required field: text [json-pointer:${at}]`);
  },
  divider: () => undefined,
  image: (block, at, problems) => {
    if (typeof block.alt_text !== "string")
      problems.push(`missing required field: alt_text [json-pointer:${at}]`);
    if (block.image_url === undefined && block.slack_file === undefined)
      problems.push(`missing required field: image_url [json-pointer:${at}]`);
  },
  input: (block, at, problems, ids) => {
    checkText(block.label, `${at}/label`, 2_000, problems, "plain_text");
    checkElement(block.element, `${at}/element`, problems, ids, (type) => isInput(type) || isSelect(type));
  },
  rich_text: (block, at, problems) =>
    requireList(block.elements, `${at}/elements`, 1_000, problems, () => undefined),
  table: (block, at, problems) => requireList(block.rows, `${at}/rows`, 100, problems, () => undefined),
  data_table: checkDataTable,
  data_visualization: checkChart,
  task_card: (block, at, problems) => checkTask(block, at, problems),
  plan: (block, at, problems) => {
    if (typeof block.title !== "string") problems.push(`missing required field: title [json-pointer:${at}]`);
    const ids = new Set<unknown>();
    checkList(block.tasks, `${at}/tasks`, 0, maxTasks, problems, (task, place) => {
      const { task_id } = isRecord(task) ? task : {};
      if (ids.has(task_id)) problems.push(`\`task_id\` already exists [json-pointer:${place}/task_id]`);
      ids.add(task_id);
      checkTask(isRecord(task) ? task : {}, place, problems);
    });
  },
  file: () => undefined,
  video: () => undefined,
  alert: () => undefined,
  card: () => undefined,
  carousel: () => undefined,
  container: () => undefined,
};

const taskStates: readonly unknown[] = [undefined, "pending", "in_progress", "complete", "error"];

/** A task of a plan (docs.slack.dev/reference/block-kit/blocks/task-card-block). */
function checkTask(task: Block, at: string, problems: string[]): void {
  if (task.type !== "task_card") problems.push(`unsupported type: ${task.type} [json-pointer:${at}/type]`);
  for (const name of ["task_id", "title"])
    if (typeof task[name] !== "string" || task[name] === "")
      problems.push(`missing required field: ${name} [json-pointer:${at}]`);
  if (!taskStates.includes(task.status))
    problems.push(`must be a valid enum value [json-pointer:${at}/status]`);
  for (const name of ["details", "output"] as const) {
    const text = task[name];
    if (text === undefined) continue;
    const elements = isRecord(text) && text.type === "rich_text" ? text.elements : undefined;
    if (!Array.isArray(elements) || elements.length !== 1)
      problems.push(`must be a rich_text with one element [json-pointer:${at}/${name}]`);
  }
}

function checkList(
  value: unknown,
  at: string,
  least: number,
  most: number,
  problems: string[],
  check: (each: unknown, at: string) => void,
): void {
  if (value === undefined) return;
  if (!Array.isArray(value) || value.length < least) {
    problems.push(`no less than ${least} items allowed [json-pointer:${at}]`);
    return;
  }
  if (value.length > most) problems.push(`no more than ${most} items allowed [json-pointer:${at}]`);
  for (const [index, each] of value.entries()) check(each, `${at}/${index}`);
}

function requireList(
  value: unknown,
  at: string,
  most: number,
  problems: string[],
  check: (each: unknown, at: string) => void,
): void {
  checkList(value ?? [], at, 1, most, problems, check);
}
