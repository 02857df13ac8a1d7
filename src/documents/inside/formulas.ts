/** Maximum groups of formulas that are listed, characters of one, and cells of an error that are named. */
const maxListed = 40;
const maxFormula = 300;
const maxNamed = 10;

/** A cell with a formula. */
interface FormulaCell {
  /** Counted from 1. */
  row: number;
  column: number;
  /** With its references as they are in this cell. */
  formula: string;
  isComputed: boolean;
}

interface Group {
  first: FormulaCell;
  last: FormulaCell;
  cells: number;
  /** Number of those without a stored value. */
  uncomputed: number;
}

/** The formulas and errors of a sheet. Formulas that are alike, as a program fills them down or to the right, are one group. */
export class Formulas {
  readonly #groups = new Map<string, Group>();
  readonly #errors = new Map<string, string[]>();

  /** Returns the name of the cell's group. `group` names it for a formula that the file does not repeat. */
  add(cell: FormulaCell, group = relative(cell)): string {
    const known = this.#groups.get(group);
    const uncomputed = cell.isComputed ? 0 : 1;
    if (known === undefined) this.#groups.set(group, { first: cell, last: cell, cells: 1, uncomputed });
    else {
      known.last = cell;
      known.cells += 1;
      known.uncomputed += uncomputed;
    }
    return group;
  }

  addError(error: string, place: string): void {
    this.#errors.set(error, [...(this.#errors.get(error) ?? []), place].slice(0, maxNamed + 1));
  }

  /** `F2: =SUM(B2:D2), down to F40, not computed`; errors with their cells. */
  lines(): string[] {
    const groups = [...this.#groups.values()].toSorted((one, other) => one.first.row - other.first.row);
    const more = groups.length - maxListed;
    const errors = [...this.#errors].slice(0, maxListed).map(([error, places]) => {
      const others = places.length > maxNamed ? " and more" : "";
      return `error ${error} in ${places.slice(0, maxNamed).join(", ")}${others}`;
    });
    return [
      ...groups.slice(0, maxListed).map(line),
      ...(more > 0 ? [`and ${more} more formulas`] : []),
      ...errors,
    ];
  }
}

function line({ first, last, cells, uncomputed }: Group): string {
  const formula =
    first.formula.length <= maxFormula
      ? first.formula
      : `${first.formula.slice(0, maxFormula).toWellFormed()}…`;
  const isRun = first.column === last.column && last.row - first.row === cells - 1;
  const end = cellName(last);
  const alike = cells === 1 ? "" : isRun ? `, down to ${end}` : `, alike in ${cells} cells up to ${end}`;
  const state =
    uncomputed === 0 ? "" : uncomputed === cells ? ", not computed" : `, ${uncomputed} of them not computed`;
  return `${cellName(first)}: ${formula}${alike}${state}`;
}

/** The formula with its references as distances: the same for formulas that are alike. Texts and names in quotes stay. */
function relative({ formula, row, column }: FormulaCell): string {
  return formula.replace(
    /"[^"]*"|'[^']*'|(?<!\w)(\$?)([A-Z]{1,3})(\$?)(\d{1,7})(?![\w(])/g,
    (whole, fixedColumn, letters, fixedRow, number) => {
      if (letters === undefined) return whole;
      const across = fixedColumn ? letters : columnNumber(letters) - column;
      return `R[${fixedRow ? `$${number}` : Number(number) - row}]C[${across}]`;
    },
  );
}

export function columnNumber(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

/** `F2`. */
export function cellName({ row, column }: { row: number; column: number }): string {
  let letters = "";
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  return `${letters}${row}`;
}
