import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import type { ToolContext } from "../../core/skill/tool.ts";
import { askFields, askTogether, confirm } from "./ask-fields.ts";
import { asksForSecret, formFields } from "./form-field.ts";

/** More fields than these are asked for in one question: nobody wants to be asked ten times. */
const fewFields = 4;

/** A longer form is not for a chat. */
const maxFields = 30;

/** Asks the person for what a server wants to know, field by field, and checks what they say. */
export async function elicitForm(
  server: string,
  params: ElicitRequestFormParams,
  context: ToolContext,
  key: string,
): Promise<ElicitResult> {
  const fields = formFields(params);
  const secret = fields.find(asksForSecret);
  if (secret !== undefined) {
    const what = `${server} asked for “${secret.label}”`;
    context.progress(`${what}. Passwords and keys do not belong into a chat, so it was declined.`);
    return { action: "decline" };
  }
  if (fields.length > maxFields) {
    context.progress(`${server} asked for ${fields.length} things at once, which is too much for a chat.`);
    return { action: "decline" };
  }
  const form = { server, message: params.message, key };
  if (fields.length === 0) return await confirm(form, context);
  return fields.length <= fewFields
    ? await askFields(form, fields, context)
    : await askTogether(form, fields, context);
}
