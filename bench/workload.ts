/** The work that both sides do in every turn, so that only the implementation differs. */

/** One tool each. */
export const collections = [
  "orders",
  "customers",
  "invoices",
  "products",
  "suppliers",
  "contracts",
  "tickets",
  "shipments",
  "payments",
  "employees",
] as const;

export function describeLookup(collection: string): string {
  return `Looks up ${collection} by words of their title and answers the best ones with their address`;
}

interface LookupRecord {
  title: string;
  url: string;
  score: number;
}

/** A tool's output: about 400 characters of JSON for five records. */
export function lookUp(collection: string, query: string, limit: number): { records: LookupRecord[] } {
  const record = (_: unknown, at: number): LookupRecord => ({
    title: `${query} ${at + 1} of ${collection}`,
    url: `https://records.example/${collection}/${1000 + at}`,
    score: 1 / (at + 1),
  });
  return { records: Array.from({ length: limit }, record) };
}

/** The person's message in a turn. */
export function question(turn: number): string {
  return `Which orders of the customer number ${turn} are still open, and who looks after them?`;
}

/** What was said in one of the earlier turns of a thread: about 90 and 300 characters. */
export function earlierTurn(turn: number): { asked: string; answered: string } {
  const asked = `Number ${turn}: how many records did we add to the collection of contracts in that week, and why?`;
  const sentence = `In week ${turn} there were ${(turn * 7) % 90} new contracts, most of them from the renewal campaign. `;
  return { asked, answered: sentence.repeat(3).trim() };
}
