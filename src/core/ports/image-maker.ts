import type { Usage } from "../log/turn-event.ts";
import { ExpectedFailure } from "../values/expected-failure.ts";

/** A picture to be made. */
export interface WantedImage {
  prompt: string;
  shape: "square" | "wide" | "tall";
  /** How many, 1 to 4. */
  count: number;
  /** Pictures to begin with: they are changed instead of one being made from nothing. PNG, JPEG or WebP. */
  from?: readonly { name: string; media_type: string; data: Uint8Array }[] | undefined;
  transparent?: boolean | undefined;
}

export interface MadeImages {
  images: readonly { media_type: string; data: Uint8Array }[];
  /** What the provider made of the prompt, where it says so. */
  revised_prompt?: string | undefined;
  /** `provider/model` that made them. */
  model: string;
  /** Without a cost where the price is not known. */
  usage: Usage;
}

/** No picture was made. The message says why, in words for people; `detail` is for operators alone. */
export class ImageError extends ExpectedFailure<"not_configured" | "refused" | "failed"> {
  readonly detail: string | undefined;
  constructor(code: ImageError["code"], message: string, detail?: string) {
    super(code, message);
    this.detail = detail;
  }
}

/** Makes pictures from words. */
export interface ImageMaker {
  /** `provider/model`; undefined where none is set up. */
  readonly model: string | undefined;
  /** @throws ImageError, or the signal's reason */
  make(wanted: WantedImage, signal: AbortSignal): Promise<MadeImages>;
}

/** A bot that makes no pictures: it says why. */
export function noImageMaker(reason: string): ImageMaker {
  return { model: undefined, make: () => Promise.reject(new ImageError("not_configured", reason)) };
}
