import type { Json } from "../core/json.ts";

/** Whether an address stands in the arguments of a call as it is, with or without its scheme: then it is not the code that chose it. */
export function isGivenAddress(address: string, args: Json): boolean {
  const wanted = URL.parse(address)?.href;
  if (wanted === undefined) return false;
  return textsIn(args)
    .flatMap((text) => text.split(/[\s"'<>]+/))
    .some((word) => ["", "https://", "http://"].some((scheme) => URL.parse(scheme + word)?.href === wanted));
}

function textsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
