declare module "stopword" {
  /** Stop words by ISO 639-3 code, beside functions that are not used here. */
  const lists: Readonly<Record<string, unknown>>;
  export = lists;
}
