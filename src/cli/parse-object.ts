import type { Json } from "../core/json.ts";
import { CommandError } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";

/**
 * The JSON object an option was given; `example` is one, as a shell takes it.
 * @throws CommandError for wrong usage
 */
export function parseObject(text: string, option: string, example: string): { [key: string]: Json } {
  const wrong = (reason: string, cause?: unknown) =>
    new CommandError(
      `${option} is ${reason}. Write a JSON object, e.g. ${option} ${example}`,
      exitCode.usage,
      {
        cause,
      },
    );
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw wrong("not valid JSON", cause);
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw wrong("not an object");
  return value;
}
