/** A call that Slack answers with `{ ok: false, error }`. */
export class SlackRefusal extends Error {
  readonly code: string;
  readonly details: Record<string, unknown>;

  constructor(code: string, details: Record<string, unknown> = {}) {
    super(code);
    this.name = "SlackRefusal";
    this.code = code;
    this.details = details;
  }
}

/** `code` with Slack's list of what is wrong, as `response_metadata.messages` has it. */
export function refusalWithMessages(code: string, messages: readonly string[]): SlackRefusal {
  return new SlackRefusal(code, { response_metadata: { messages: messages.map((m) => `[ERROR] ${m}`) } });
}
