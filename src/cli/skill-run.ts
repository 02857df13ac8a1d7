import { ApiError } from "../client/api-error.ts";
import type { Json } from "../core/json.ts";
import { plainText } from "../platforms/terminal/plain-text.ts";
import { withConnection } from "./bot-connection.ts";
import type { CommandContext, GlobalOptions } from "./command-context.ts";
import { exitCode } from "./exit-code.ts";
import { parseObject } from "./parse-object.ts";
import { printJson, printLine } from "./print.ts";

/** `knack skills run`: the `invoke_skill` path without a model. */
export async function runSkill(
  context: CommandContext,
  id: string,
  options: GlobalOptions & { namespace: string; params: string; json?: true },
): Promise<number> {
  const params = parseObject(options.params, "--params", `'{"text": "hello"}'`);
  return withConnection(context, options, async ({ client }) => {
    const result = await client
      .call("skill.run", { id, params, namespace: options.namespace })
      .catch((error: unknown) => refusalOf(error));
    if (options.json) printJson(context, result);
    else printLine(context, plainText(JSON.stringify(result, null, 2)));
    return succeeded(result) ? exitCode.ok : exitCode.failed;
  });
}

/** What was not run reads like what failed. @throws what is no refusal */
function refusalOf(error: unknown): Json {
  if (!(error instanceof ApiError) || ![400, 404, 409].includes(error.status)) throw error;
  return JSON.parse(JSON.stringify({ error: error.detail, code: error.code, ...error.more })) as Json;
}

function succeeded(result: Json): boolean {
  return result !== null && typeof result === "object" && !Array.isArray(result) && result.success === true;
}
