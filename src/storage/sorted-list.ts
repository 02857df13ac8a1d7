/**
 * Items in order, for lists whose items mostly arrive in order and leave at the front. Items that compare equal keep the
 * order in which they came.
 */
export class SortedList<T> {
  readonly #items: T[] = [];
  readonly #compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#items.length;
  }

  first(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    this.#items.splice(
      this.#position((other) => this.#compare(other, item) > 0),
      0,
      item,
    );
  }

  /** Removes an item that compares as it did when it was added. */
  remove(item: T): void {
    const from = this.#position((other) => this.#compare(other, item) >= 0);
    const at = this.#items.indexOf(item, from);
    if (at !== -1) this.#items.splice(at, 1);
  }

  /** From the last item backwards, beginning before the first one that is `beyond`. `beyond` is monotone. */
  *backwards(beyond: (item: T) => boolean = () => false): Generator<T> {
    for (let at = this.#position(beyond) - 1; at >= 0; at--) yield this.#items[at] as T;
  }

  /** From the first item that `reached` holds for. `reached` is monotone. */
  *from(reached: (item: T) => boolean): Generator<T> {
    for (let at = this.#position(reached); at < this.#items.length; at++) yield this.#items[at] as T;
  }

  #position(reached: (item: T) => boolean): number {
    const last = this.#items.at(-1);
    if (last === undefined || !reached(last)) return this.#items.length;
    let low = 0;
    let high = this.#items.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (reached(this.#items[middle] as T)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
