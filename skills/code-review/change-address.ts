/** The path of a change's page, and where its diff is. */
type Page = [path: RegExp, diff: (parts: readonly string[], origin: string) => string];

/** GitHub, Gitea and Forgejo, GitLab and Bitbucket Data Center, on any host. */
const anywhere: readonly Page[] = [
  [
    /^\/(projects|users)\/([^/]+)\/repos\/([^/]+)\/pull-requests\/(\d+)/,
    ([kind, owner, repository, id], origin) =>
      `${origin}/rest/api/latest/projects/${kind === "users" ? "~" : ""}${owner}/repos/${repository}/pull-requests/${id}.diff`,
  ],
  [/^(\/.+\/-\/(?:merge_requests\/\d+|commit\/[0-9a-f]{7,40}))/, ([path], origin) => `${origin}${path}.diff`],
  [/^(\/[^/]+\/[^/]+\/pulls?\/\d+)/, ([path], origin) => `${origin}${path}.diff`],
  [/^(\/[^/]+\/[^/]+\/commit\/[0-9a-f]{7,40})(?=[./]|$)/, ([path], origin) => `${origin}${path}.diff`],
  [/^(\/[^/]+\/[^/]+\/compare\/.+?\.\..+?)(?:\.diff|\.patch)?$/, ([path], origin) => `${origin}${path}.diff`],
];

const repositories = "https://api.bitbucket.org/2.0/repositories";

/** https://developer.atlassian.com/cloud/bitbucket/rest/ */
const bitbucketCloud: readonly Page[] = [
  [/^\/([^/]+\/[^/]+)\/pull-requests\/(\d+)/, ([of, id]) => `${repositories}/${of}/pullrequests/${id}/diff`],
  [/^\/([^/]+\/[^/]+)\/commits\/([0-9a-f]{7,40})/, ([of, commit]) => `${repositories}/${of}/diff/${commit}`],
];

/** The address of a change's diff; undefined for an address of anything else. Slack's `<address|label>` is read too. */
export function diffAddress(text: string): string | undefined {
  const url = URL.parse(text.trim().replace(/^<([^|>]*)(?:\|[^>]*)?>$/, "$1"));
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  for (const [path, diff] of url.host === "bitbucket.org" ? bitbucketCloud : anywhere) {
    const parts = path.exec(url.pathname);
    if (parts !== null) return diff(parts.slice(1), url.origin);
  }
  return /\.(diff|patch)$/.test(url.pathname) ? url.href : undefined;
}

/** All addresses that fetching a change sends something to: GitHub answers the diff of a pull request from another host. */
export function addressesOf(text: string): string[] {
  const address = diffAddress(text);
  if (address === undefined) return [];
  const pull = /^https:\/\/github\.com(\/[^/]+\/[^/]+\/pull\/\d+\.diff)$/.exec(address)?.[1];
  return pull === undefined ? [address] : [address, `https://patch-diff.githubusercontent.com/raw${pull}`];
}
