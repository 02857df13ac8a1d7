import type { MiddlewareHandler } from "hono";
import { secureHeaders } from "hono/secure-headers";

/**
 * The headers of every answer. Pages may load only what this server has and talk only to it; `scriptHashes`
 * (`sha256-…`) are the inline scripts of the console. Images of other hosts stay out: an answer that names one
 * would tell that host what is in the channel. An answer may set a stricter one itself.
 */
export function securityHeaders(scriptHashes: () => readonly string[]): MiddlewareHandler {
  return secureHeaders({
    overwrite: false,
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: [
        "'self'",
        () =>
          scriptHashes()
            .map((hash) => `'${hash}'`)
            .join(" "),
      ],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", "data:"],
      connectSrc: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
    },
    xFrameOptions: "DENY",
    crossOriginResourcePolicy: "same-origin",
    crossOriginOpenerPolicy: "same-origin",
    referrerPolicy: "no-referrer",
    strictTransportSecurity: false,
  });
}
