declare module "stopword" {
  /** Stop words by ISO 639-3 code; the package's functions are not used here. */
  const lists: Readonly<Record<string, unknown>>;
  export = lists;
}
