/** Emoji of this workspace: some of Slack's, and a custom one. Some of Slack's names differ from GitHub's. */
export const knownEmoji: ReadonlySet<string> = new Set([
  "+1",
  "-1",
  "eyes",
  // The answers of a poll.
  ...["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "keycap_ten"],
  "fire",
  "heart",
  "party-parrot",
  "rocket",
  "tada",
  "thinking_face",
  "thumbsdown",
  "thumbsup",
  "white_check_mark",
]);
