import { families } from "../../turns/parse-command.ts";

/** What a message with files and without a text says. */
const onlyFiles = "(see the attached files)";

/**
 * A message as it is submitted. Said to the bot (`toBot`) it is given the mention that the platform has taken away, so that
 * `@Knack stop`, and `stop` in a direct message, are commands. A slash command stays one, since Slack has none in threads;
 * anything else that begins with a slash is a message.
 */
export function submittedText(text: string, toBot: boolean, botName: string): string {
  const said = text.trim() === "" ? onlyFiles : text.trimStart();
  if (isSlashCommand(said, botName)) return said;
  return toBot || said.startsWith("/") ? `@${botName} ${said}` : said;
}

function isSlashCommand(text: string, botName: string): boolean {
  const [word = ""] = text.toLowerCase().split(/\s/, 1);
  const commands = [...families, "help", "knack", botName.toLowerCase()];
  return commands.some((each) => word === `/${each}`);
}
