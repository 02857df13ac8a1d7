/** Kinds of values that many settings have. */

import { z } from "zod";
import { pattern } from "../base/pattern.ts";

export const text = z.string().min(1);
export const texts = z.array(text);

/** Ids of people, channels, roles and the like. A name would never match one. */
export const ids = z.array(
  text.regex(/^[^@#<]/, "expected an id such as U012AB3CD, not a name: names match nobody"),
);

const hostName = /(?:\*\.)?(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::\d{1,5})?/;
const host = (form: RegExp) =>
  z
    .string()
    .trim()
    .toLowerCase()
    .regex(form, "must be a host such as docs.example.com or *.example.com, without https:// and path");

/** A host, not `*` alone, which stands for every host. */
export const someHost = host(pattern()`^${hostName}$`);
export const anyHost = host(pattern()`^(?:\*|${hostName})$`);

/** A host, an address or a range of addresses: `10.1.0.0/16`. */
export const hostOrRange = host(/^(?:(?:\*\.)?[a-z0-9_.-]+|\[?[0-9a-f:.]+\]?)(?:\/\d{1,3})?$/);
export const flag = z.boolean();
export const count = z.number().int().positive();

/** A number above 0; the maximum is included. */
export const upTo = (max: number) => z.number().positive().max(max);
export const seconds = upTo(86_400);

/** Both bounds are included. */
export const between = (min: number, max: number) => z.number().min(min).max(max);
export const wholeBetween = (min: number, max: number) => z.number().int().min(min).max(max);
