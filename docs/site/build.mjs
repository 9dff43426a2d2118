/**
 * Builds the documentation site into `.cache/site`: `npm run docs`.
 *
 * - guides: VitePress, with a dark mode
 * - `/api/`: the reference, by `deno doc --html`, one module a public subpath
 * - `/try/`: the sandbox in the reader's browser
 * - `/search.json`: the index of both, which `/search.js` asks in the page
 * - `/llms.txt` and `/llms-full.txt`: the guides for language models
 *
 * Fails on a link that leads nowhere, on a request to another host, and where a question finds another page first.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { ensureInstalled } from "../../scripts/install.mjs"
import { llmsIntro, llmsText } from "../../scripts/llms.mjs"
import { rolldown } from "rolldown"
import { buildTry } from "./buildTry.mjs"
import { guides } from "./guides.mjs"
import { questions } from "./questions.mjs"
import { buildReference } from "./reference.mjs"
import { guidePlaces, makeIndex, search } from "./search.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))
const site = join(root, ".cache", "site")
const here = join(root, "docs", "site")
ensureInstalled(root)
ensureInstalled(here)

/** @param {ReadonlyArray<string>} command @param {string} cwd */
const run = ([program = "", ...args], cwd) => {
  const { status } = spawnSync(program, args, { cwd, stdio: ["ignore", 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
}

for (const folder of [site, join(here, "pages")]) {
  rmSync(folder, { recursive: true, force: true })
}
mkdirSync(join(here, "pages"))
for (
  const file of readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"))
) {
  cpSync(join(root, "docs", file), join(here, "pages", file))
}
cpSync(join(root, "docs", "speed"), join(here, "pages", "speed"), {
  recursive: true,
})
cpSync(join(root, "docs", "demo.svg"), join(here, "pages", "demo.svg"))
run([
  process.execPath,
  join(here, "node_modules", "vitepress", "bin", "vitepress.js"),
  "build",
], here)

const names = buildReference(root, join(site, "api"))
await buildTry(join(site, "try"))

const pages = guides.flatMap(({ pages }) => pages)
const text = (/** @type {string} */ file) => readFileSync(join(root, "docs", file), "utf8").trim()

// A name that several modules export is in the index for each of them, once.
const places = [
  ...pages.flatMap((guide) => guidePlaces(guide, text(guide.file))),
  ...names,
]
const index = makeIndex([
  ...new Map(places.map((place) => [place.id, place])).values(),
])
writeFileSync(join(site, "search.json"), JSON.stringify(index))
cpSync(join(here, "search.css"), join(site, "search.css"))
const searchBox = await rolldown({
  input: join(here, "searchBox.mjs"),
  platform: "browser",
})
await searchBox.write({
  file: join(site, "search.js"),
  format: "esm",
  minify: true,
})
await searchBox.close()
writeFileSync(join(site, "llms.txt"), llmsText("/"))
writeFileSync(
  join(site, "llms-full.txt"),
  [llmsIntro, ...pages.map(({ file }) => text(file))].join("\n\n"),
)
for (const { file } of pages) {
  cpSync(join(root, "docs", file), join(site, file))
}
cpSync(join(root, "docs", "speed"), join(site, "speed"), { recursive: true })

const files = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((
  file,
) => file.endsWith(".html"))
/** @type {Array<string>} */
const problems = []
for (const { id } of places) {
  const [file = "", anchor] = id.split("#")
  const html = existsSync(join(site, file)) ? readFileSync(join(site, file), "utf8") : ""
  if (
    html === "" || (anchor !== undefined && !html.includes(`id="${anchor}"`))
  ) problems.push(`the search leads to ${id}`)
}
for (const [question, page] of questions) {
  const [first] = search(index, question)
  if (!String(first?.id).startsWith(page)) {
    problems.push(`"${question}" finds ${first?.id}, not ${page}`)
  }
}
for (const file of files) {
  const html = readFileSync(join(site, file), "utf8")
  // A link of an example's code is text there; only attributes of tags count.
  for (
    const [, tag = "", attribute = "", escaped = ""] of html.matchAll(
      /<(\w+)\b[^>]*?\s(href|src)="([^"]*)"/g,
    )
  ) {
    const address = escaped.replaceAll("&#x2F;", "/").replaceAll("&amp;", "&")
      .replaceAll("&#x27;", "'")
    const loads = attribute === "src" || tag === "link"
    if (/^(https?:)?\/\//.test(address)) {
      if (loads) problems.push(`${file} loads ${address}`)
      continue
    }
    if (/^(#|mailto:|data:|javascript:)/.test(address) || address === "") {
      continue
    }
    const path = decodeURIComponent(address.replace(/[?#].*$/, "").trim())
    if (path === "") continue
    const target = path.startsWith("/") ? join(site, path) : join(site, dirname(file), path)
    if (
      ![target, `${target}.html`, join(target, "index.html")].some((each) => existsSync(each))
    ) {
      problems.push(`${file} links to ${address}`)
    }
  }
}
if (problems.length > 0) {
  console.error(problems.slice(0, 50).join("\n"))
  console.error(`${problems.length} broken links or external requests`)
  process.exit(1)
}
console.log(
  `${files.length} pages in ${relative(root, site)}, every link checked`,
)
