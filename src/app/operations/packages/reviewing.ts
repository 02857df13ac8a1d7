import type { PackageReview } from "../../../core/skill/packages.ts";
import type { Skill } from "../../../core/skill/skill.ts";

export type Guide = Pick<Skill, "id" | "description" | "instructions">;

/** Maximum guides of one package that a model reads, and guides that are kept for it. */
const maxRead = 5;
const maxKept = 100;

/** Reviews that run now, and the guides of reviewed skills, which a model may read after people have seen the facts. */
export class Reviewing {
  readonly #guides = new Map<string, Guide>();
  readonly #running = new Set<{ from: string; reviewed: number; skills: number }>();

  /** The review of a package: where it is from, how many of its skills are reviewed, and how many there are (0: not known yet). */
  get running() {
    return [...this.#running];
  }

  /** Runs a review. `onReviewed` keeps the guides and counts. */
  async run<T>(
    from: string,
    work: (onReviewed: (skill: Skill, done: number, total: number) => void) => Promise<T>,
    onProgress?: (text: string) => void,
  ): Promise<T> {
    const own = { from, reviewed: 0, skills: 0 };
    this.#running.add(own);
    try {
      return await work((skill, reviewed, skills) => {
        Object.assign(own, { reviewed, skills });
        this.#keep(skill);
        if (skills > 1) onProgress?.(progressText(own));
      });
    } finally {
      this.#running.delete(own);
    }
  }

  #keep({ id, description, instructions, hash }: Skill): void {
    this.#guides.delete(hash);
    this.#guides.set(hash, { id, description, instructions });
    const [oldest] = this.#guides.keys();
    if (this.#guides.size > maxKept && oldest !== undefined) this.#guides.delete(oldest);
  }

  /** The guide of a skill that was reviewed lately, by the hash of its files. */
  guide(hash: string): Guide | undefined {
    return this.#guides.get(hash);
  }

  /** The hashes of the skills of a package whose guides a model reads. */
  toRead(reviews: readonly Pick<PackageReview, "hash">[]): string[] {
    const hashes = reviews.slice(0, maxRead).map(({ hash }) => hash);
    return hashes.filter((hash) => this.#guides.has(hash));
  }
}

export function progressText({ reviewed, skills }: { reviewed: number; skills: number }): string {
  return skills === 0
    ? "The package is fetched and unpacked"
    : `${reviewed} of ${skills} skills are reviewed`;
}
