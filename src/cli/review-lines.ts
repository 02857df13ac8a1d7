import type { PackageReview } from "../client/shapes.ts";
import type { Paint } from "../platforms/terminal/paint.ts";
import { plainLine } from "../platforms/terminal/plain-text.ts";

type Finding = PackageReview["findings"][number];

/** A review as a person decides by it: what was found comes first, the gravest at the top. */
export function reviewLines(review: PackageReview, paint: Paint): string[] {
  const { skill_id, version, kind, files, bytes, hash, isolation, findings } = review;
  const size = `${files} ${files === 1 ? "file" : "files"}, ${bytes} bytes`;
  return [
    `${paint.bold(plainLine(skill_id))} ${plainLine(version)}  ${paint.dim(`${kind}, ${size}`)}`,
    `  ${plainLine(review.description)}`,
    ...(findings.length === 0
      ? ["  Nothing was found to warn of. That is no proof: look at what it does."]
      : []),
    ...findings.flatMap((finding) => findingLines(finding, paint)),
    ...named("scripts", review.scripts),
    ...named("hosts it names", review.hosts),
    ...named("programs it needs", review.bins),
    ...named("variables it needs", review.env),
    `  its code: ${plainLine(isolation)}`,
    paint.dim(`  sha256 ${hash}`),
  ];
}

function findingLines({ severity, message, path, line, excerpt }: Finding, paint: Paint): string[] {
  const mark = { danger: paint.bad("danger "), warning: paint.code("warning"), info: "info   " }[severity];
  const place = path === undefined ? "" : `  ${plainLine(path)}${line === undefined ? "" : `:${line}`}`;
  const quote = excerpt === undefined ? [] : [paint.dim(`          ${plainLine(excerpt)}`)];
  return [`  ${mark} ${plainLine(message)}${paint.dim(place)}`, ...quote];
}

function named(title: string, values: readonly string[]): string[] {
  return values.length === 0 ? [] : [`  ${title}: ${values.map(plainLine).join(", ")}`];
}
