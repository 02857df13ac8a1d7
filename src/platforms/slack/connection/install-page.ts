/** The page from which a person adds the app to their workspace. Loads nothing from elsewhere. */
export function installPage(url: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Add Knack to Slack</title>
</head>
<body>
<h1>Add Knack to Slack</h1>
<p>Knack gives a channel an agent with skills. Slack shows you what it may do before anything is installed.</p>
<p><a href="${escaped(url)}">Add to Slack</a></p>
<p>The link is good once, for ten minutes.</p>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
