/** Why a package is refused. Thrown inside this folder only; `createPackages` turns it into an outcome. */
export class PackageRefusal extends Error {
  override readonly name = "PackageRefusal";
  /** Stable, e.g. `path_leaves_package`, `too_many_files`. */
  readonly code: string;

  /** `message` is a sentence for a person that names the entry and says what to do. */
  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** `why` completes the sentence that begins with the entry. */
export function refusedEntry(code: string, name: string, why: string): PackageRefusal {
  return new PackageRefusal(code, `The entry ${shownName(name)} ${why}. Nothing was installed.`);
}

/** The name of an entry as it may be shown: invisible and control characters escaped, cut at 120 characters. */
export function shownName(name: string): string {
  const visible = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
  const cut = visible.length > 120 ? `${visible.slice(0, 117)}...` : visible;
  return `"${cut}"`;
}
