/** Lists of names that stand for themselves: of hosts, endings and packages. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Domains that skills of all kinds use: registries, standards, places of libraries and documents. */
export const hosts = words(
  "astral.sh rustup.rs docker.com docker.io nodesource.com bun.sh deno.land pnpm.io python-poetry.org k3s.io helm.sh brew.sh" +
    " npmjs.com npmjs.org pypi.org pythonhosted.org pytorch.org nvidia.com debian.org ubuntu.com ollama.com w3.org schema.org" +
    " json-schema.org schemastore.org openxmlformats.org purl.org dublincore.org xmlns.com ogp.me ietf.org unicode.org wikipedia.org" +
    " wikimedia.org wikidata.org creativecommons.org spdx.org apache.org gnu.org mozilla.org whatwg.org python.org nodejs.org" +
    " readthedocs.io stackoverflow.com jsdelivr.net unpkg.com cdnjs.com cloudflare.com gstatic.com googleapis.com bootstrapcdn.com" +
    " tailwindcss.com jquery.com fontawesome.com d3js.org sheetjs.com mermaid.live plot.ly microsoft.com google.com apple.com" +
    " openstreetmap.org arxiv.org crossref.org doi.org semanticscholar.org openalex.org orcid.org archive.org nih.gov ebi.ac.uk" +
    " uniprot.org nasa.gov europa.eu crates.io rubygems.org golang.org go.dev ghcr.io quay.io nuget.org github.com gitlab.com" +
    " huggingface.co anthropic.com claude.ai openai.com amazonaws.com azure.com slack.com discord.com osv.dev deps.dev hubapi.com telegram.org",
);

/** Endings of hosts that are named without a scheme; others are more often names in code, or files. */
export const suffixes = words(
  "com net org io dev app co info biz xyz cloud site online tech live pro shop store agency digital network support systems tools" +
    " services team works run ai to me tv cc eu de fr es it uk us at ch nl pl cn jp in ru example test",
);

/** Endings of files of code. */
export const codeEndings = words(
  ".py .pyw .sh .bash .zsh .fish .ksh .js .mjs .cjs .ts .mts .cts .jsx .tsx .rb .pl .php .lua .go .rs .java .kt .swift .c .cpp .cs .r" +
    " .jl .ps1 .psm1 .bat .cmd .vbs .wsf .applescript .scpt .awk .tcl .tf .hcl .html .htm .svg",
);

/** Much used packages of Python and Node, and others that have nearly their names. */
export const packages = words(
  "requests urllib3 boto3 botocore certifi setuptools cryptography python-dateutil pyyaml pydantic pygments numpy pandas scipy" +
    " matplotlib pillow httpx aiohttp fastapi starlette uvicorn jinja2 flask django celery sqlalchemy psycopg2 psycopg psycopg-binary" +
    " pymongo openpyxl xlsxwriter python-docx python-pptx pypdf2 pypdf pdfplumber reportlab weasyprint markdown markdown2 beautifulsoup4" +
    " beautifulsoup lxml selenium playwright streamlit tensorflow seaborn plotly scikit-learn transformers tokenizers tiktoken openai" +
    " anthropic langchain huggingface-hub paramiko python-dotenv websockets websocket jsonschema protobuf pytest slack-sdk discord-py" +
    " feedparser tabulate express fastify axios lodash webpack vitest eslint prettier typescript commander dotenv moment puppeteer" +
    " pyppeteer cheerio node-fetch undici mongoose sequelize prisma nodemailer passport jsonwebtoken discord.js telegraf graphql" +
    " socket.io tailwindcss winston pdfkit exceljs papaparse marked markdown-it inquirer rimraf cross-env nodemon concurrently mermaid" +
    " react-dom react preact https request semver4 torch torchx panda djongo grequests",
);
