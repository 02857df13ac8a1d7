/** Calls tools of the conversation: import { call } from "./knack-tools.mjs". Beside the code of a model, in its sandbox. */
import { connect } from "node:net";
import { env } from "node:process";
import { text } from "node:stream/consumers";

/** Why a tool gave no result. */
export class ToolError extends Error {}

/** The result of a tool that only reads, with these arguments. @throws ToolError */
export async function call(tool, input = {}) {
  // biome-ignore lint/style/noProcessEnv: the sandbox says where the socket is.
  const line = connect(env.KNACK_CALLS);
  line.write(`${JSON.stringify({ tool, input })}\n`);
  const { output, error } = JSON.parse(await text(line));
  if (error !== undefined) throw new ToolError(error);
  return output;
}
