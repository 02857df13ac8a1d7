/** A person in the fake tried an action that Slack does not allow: the test or the app is wrong. */
export class ControlRefusal extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "ControlRefusal";
    this.code = code;
  }
}
