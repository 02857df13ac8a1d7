import { randomUUID } from "node:crypto";
import { acceptBlocks } from "../api/block-rules.ts";
import { isRecord } from "../api/call-arguments.ts";
import type { Backend } from "../api/method.ts";
import { refusalWithMessages, SlackRefusal } from "../api/slack-refusal.ts";
import { checkText } from "../api/text-rules.ts";
import type { ViewRecord } from "./world.ts";

type Fields = Record<string, unknown>;

/** Modals on top of each other. */
const maxModals = 3;

interface AcceptedView {
  view: Fields;
  blocks: Fields[];
  callback_id: string;
  external_id: string;
}

/** Checks a view as `views.*` do; `invalid_arguments` or `invalid_blocks` say what is wrong. */
function acceptView(backend: Backend, value: unknown, type: "modal" | "home"): AcceptedView {
  if (!isRecord(value)) throw refusalWithMessages("invalid_arguments", ["missing required field: view"]);
  const problems: string[] = [];
  if (value.type !== type) problems.push(`must be ${type} [json-pointer:/view/type]`);
  if (!Array.isArray(value.blocks)) problems.push("missing required field: blocks [json-pointer:/view]");
  const blocks = Array.isArray(value.blocks) ? value.blocks : [];
  if (type === "modal") checkModal(value, blocks, problems);
  checkLength(value.callback_id, 255, "callback_id", problems);
  checkLength(value.private_metadata, 3_000, "private_metadata", problems);
  checkLength(value.external_id, 255, "external_id", problems);
  if (problems.length > 0) throw refusalWithMessages("invalid_arguments", problems);
  return {
    view: value,
    blocks: acceptBlocks(blocks, type, () => backend.world.id("b")),
    callback_id: String(value.callback_id ?? ""),
    external_id: String(value.external_id ?? ""),
  };
}

function checkModal(view: Fields, blocks: readonly unknown[], problems: string[]): void {
  checkText(view.title, "/view/title", 24, problems, "plain_text");
  if (view.submit !== undefined) checkText(view.submit, "/view/submit", 24, problems, "plain_text");
  if (view.close !== undefined) checkText(view.close, "/view/close", 24, problems, "plain_text");
  const hasInput = blocks.some((block) => isRecord(block) && block.type === "input");
  if (hasInput && view.submit === undefined)
    problems.push("missing required field: submit [json-pointer:/view]");
}

function checkLength(value: unknown, most: number, name: string, problems: string[]): void {
  if (typeof value === "string" && value.length > most)
    problems.push(`must be less than ${most + 1} characters [json-pointer:/view/${name}]`);
}

/** Shows a new view; a modal over `below`, if given. */
export function showView(
  backend: Backend,
  value: unknown,
  type: "modal" | "home",
  user: string,
  teamId: string,
  below?: ViewRecord,
): ViewRecord {
  const accepted = acceptView(backend, value, type);
  const id = backend.world.id("V");
  const record: ViewRecord = {
    ...accepted,
    id,
    type,
    user,
    team_id: teamId,
    hash: newHash(),
    root_view_id: below?.root_view_id ?? id,
    previous_view_id: below?.id ?? null,
    open: true,
    updates: 0,
    errors: {},
  };
  backend.world.views.set(id, record);
  backend.world.touch();
  return record;
}

/** Puts a new modal on top of another. */
export function pushView(backend: Backend, below: ViewRecord, value: unknown): ViewRecord {
  const stack = [...backend.world.views.values()].filter(
    (view) => view.root_view_id === below.root_view_id && view.open,
  );
  if (stack.length >= maxModals) throw new SlackRefusal("push_limit_reached");
  return showView(backend, value, "modal", below.user, below.team_id, below);
}

export function replaceView(backend: Backend, record: ViewRecord, value: unknown): void {
  Object.assign(record, acceptView(backend, value, record.type));
  record.hash = newHash();
  record.updates += 1;
  record.errors = {};
  backend.world.touch();
}

function newHash(): string {
  return `${Math.floor(Date.now() / 1000)}.${randomUUID().slice(0, 8)}`;
}
