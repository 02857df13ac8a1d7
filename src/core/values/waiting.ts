/** Thrown inside a tool that waits for a person; it is run again when the answer is there. */
export class WaitingForPerson extends Error {
  readonly code = "waiting_for_person";
}
