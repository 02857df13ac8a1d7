import { ApiError } from "./api-error.ts";
import { isObject, type Json } from "./json.ts";

type Path = readonly (string | number)[];

/** Collects the errors of a body, field by field, in Discord's tree of `_errors`. */
export class FormErrors {
  #tree: Json = {};
  #found = false;

  add(path: Path, code: string, message: string): void {
    this.#found = true;
    let node = this.#tree;
    for (const part of path) {
      const next = node[part];
      const child: Json = isObject(next) ? next : {};
      node[part] = child;
      node = child;
    }
    const list = Array.isArray(node._errors) ? node._errors : [];
    node._errors = [...list, { code, message }];
  }

  required(path: Path): void {
    this.add(path, "BASE_TYPE_REQUIRED", "This field is required");
  }

  choices(path: Path, allowed: string): void {
    this.add(path, "BASE_TYPE_CHOICES", `Value must be one of {${allowed}}.`);
  }

  /** Checks a text's length in code points. An absent text is fine if it may be. */
  text(path: Path, value: unknown, limits: { least?: number; most: number; optional?: boolean }): void {
    if (value === undefined || value === null) {
      if (!limits.optional) this.required(path);
      return;
    }
    if (typeof value !== "string") {
      this.add(path, "BASE_TYPE_BAD_TYPE", "Could not interpret value as string.");
      return;
    }
    const length = [...value].length;
    const least = limits.least ?? 0;
    if (length > limits.most) {
      this.add(path, "BASE_TYPE_MAX_LENGTH", `Must be ${limits.most} or fewer in length.`);
    }
    if (length < least) {
      this.add(path, "BASE_TYPE_BAD_LENGTH", `Must be between ${least} and ${limits.most} in length.`);
    }
  }

  /** Checks the number of entries of a list; returns them, or an empty list for anything else. */
  list(path: Path, value: unknown, limits: { least?: number; most: number }): unknown[] {
    if (value === undefined || value === null) {
      if (limits.least) this.required(path);
      return [];
    }
    if (!Array.isArray(value)) {
      this.add(path, "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType");
      return [];
    }
    if (value.length > limits.most || value.length < (limits.least ?? 0)) {
      this.add(
        path,
        "BASE_TYPE_BAD_LENGTH",
        `Must be between ${limits.least ?? 0} and ${limits.most} in length.`,
      );
    }
    return value;
  }

  /** Refuses fields that Discord does not document: a misspelt field must not pass unseen. */
  onlyFields(path: Path, value: Json, allowed: ReadonlySet<string>): void {
    for (const field of Object.keys(value)) {
      if (!allowed.has(field)) this.add([...path, field], "UNKNOWN_FIELD", `Unknown field ${field}.`);
    }
  }

  /** Throws code 50035 if anything was found. */
  refuse(): void {
    if (this.#found) throw new ApiError(400, 50035, "Invalid Form Body", this.#tree);
  }
}
