import { isRecord } from "./call-arguments.ts";

/** A text object of 1 to `most` characters. */
export function checkText(
  value: unknown,
  at: string,
  most: number,
  problems: string[],
  only?: "plain_text",
): void {
  if (!isRecord(value)) {
    problems.push(`missing required field: ${at.split("/").at(-1)} [json-pointer:${at}]`);
    return;
  }
  const types = only === undefined ? ["plain_text", "mrkdwn"] : [only];
  if (!types.includes(String(value.type)))
    problems.push(`unsupported type: ${value.type} [json-pointer:${at}/type]`);
  if (typeof value.text !== "string" || value.text.length === 0)
    problems.push(`must be more than 0 characters [json-pointer:${at}/text]`);
  else if (value.text.length > most)
    problems.push(`must be less than ${most + 1} characters [json-pointer:${at}/text]`);
}
