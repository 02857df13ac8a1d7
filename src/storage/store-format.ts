/** The shape of what a store keeps. */
export interface StoreFormat {
  /** Rises with every change of the tables or of what is in them; stored beside them. */
  number: number;
  /** Makes an empty store. */
  tables: string;
  /**
   * Statements that convert older data; the last ones lead to `number` from the number before it. A number without a step is refused.
   * Nothing was released yet, so there are none: a change raises the number.
   */
  steps?: readonly string[];
}

/** The statements that lead from the format `found` to the newest one; undefined if there are none. */
export function stepsFrom({ number, steps = [] }: StoreFormat, found: number): readonly string[] | undefined {
  const missing = number - found;
  return missing < 1 || missing > steps.length ? undefined : steps.slice(-missing);
}
