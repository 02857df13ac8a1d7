/** A person in the fake tried what Slack would not let them do; a test that does so is wrong, or the app is. */
export class ControlRefusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "ControlRefusal";
    this.code = code;
  }
}
