import { isContainer } from "../base/record.ts";
import { addressesIn, readAddress } from "../core/values/address.ts";
import type { Json } from "../core/values/json.ts";

/** Whether an address stands in the arguments of a call, with or without its scheme: then it is not the code that chose it. */
export function isGivenAddress(address: string, args: Json): boolean {
  const key = readAddress(address)?.key;
  return (
    key !== undefined && textsIn(args).some((text) => addressesIn(text).some((given) => given.key === key))
  );
}

function textsIn(value: Json): string[] {
  if (typeof value === "string") return [value];
  return isContainer(value) ? Object.values(value).flatMap(textsIn) : [];
}
