import type { ObservedInteraction, ObservedState } from "../observed-state.ts";

interface Watched {
  state: () => Promise<ObservedState>;
  until: <Found>(look: (state: ObservedState) => Found) => Promise<Exclude<Found, false | null | undefined>>;
}

/** A person's action, to read the bot's response. */
export class InteractionHandle {
  readonly id: string;
  readonly #server: Watched;

  constructor(id: string, server: Watched) {
    this.id = id;
    this.#server = server;
  }

  /** How it was answered so far. */
  async now(): Promise<ObservedInteraction> {
    return find(await this.#server.state(), this.id);
  }

  /** Waits until the answers so far are as wanted. */
  until(wanted: (interaction: ObservedInteraction) => boolean): Promise<ObservedInteraction> {
    return this.#server.until((state) => {
      const interaction = find(state, this.id);
      return wanted(interaction) ? interaction : null;
    });
  }

  /** Waits for the callback: the first answer of any kind. */
  async callback(): Promise<NonNullable<ObservedInteraction["callback"]>> {
    return this.#server.until((state) => find(state, this.id).callback);
  }

  /** Waits until there is an answer with content: `@original`, once it no longer shows "thinking…". */
  answer(): Promise<NonNullable<ObservedInteraction["original"]>> {
    return this.#server.until((state) => {
      const { original, loading, callback } = find(state, this.id);
      return callback !== null && !loading ? original : null;
    });
  }
}

function find(state: ObservedState, id: string): ObservedInteraction {
  const interaction = state.interactions.find((one) => one.id === id);
  if (!interaction) throw new Error(`There is no interaction ${id}.`);
  return interaction;
}
