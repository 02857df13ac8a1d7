/** Words of commands people write to the bot although the platform has slash commands: Slack has none in threads. */
const slashCommand = /^\/(skill|agent|flow|help|knack)(\s|$)/i;

/** What a message with files and without a text says. */
const onlyFiles = "(see the attached files)";

/**
 * A message as it is submitted. Said to the bot (`toBot`) it is given the mention that the platform has taken away, so that
 * `@Knack stop`, and `stop` in a direct message, are commands. Anything else that begins with a slash is a message.
 */
export function submittedText(text: string, toBot: boolean, botName: string): string {
  const said = text.trim() === "" ? onlyFiles : text.trimStart();
  if (slashCommand.test(said)) return said;
  return toBot || said.startsWith("/") ? `@${botName} ${said}` : said;
}
