/** Kinds of values that many settings have. */

import { z } from "zod";

export const text = z.string().min(1);
export const texts = z.array(text);
export const flag = z.boolean();
export const count = z.number().int().positive();

/** A number above 0; the maximum is included. */
export const upTo = (max: number) => z.number().positive().max(max);
export const seconds = upTo(86_400);

/** Both bounds are included. */
export const between = (min: number, max: number) => z.number().min(min).max(max);
export const wholeBetween = (min: number, max: number) => z.number().int().min(min).max(max);
