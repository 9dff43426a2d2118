/**
 * Builds the documentation site into `.cache/site`: `npm run docs`.
 *
 * - guides: VitePress, with local search and a dark mode
 * - `/api/`: the reference, by `deno doc --html`, one module a public subpath
 * - `/llms.txt` and `/llms-full.txt`: the guides for language models
 *
 * Fails on a link that leads nowhere and on a request to another host.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { ensureInstalled } from "../../scripts/install.mjs"
import { findRuntime } from "../../scripts/runtimes.mjs"
import { guides } from "./guides.mjs"

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
run([
  process.execPath,
  join(here, "node_modules", "vitepress", "bin", "vitepress.js"),
  "build",
], here)

// `deno doc` names a module after its file: one file a subpath, named like it.
const stubs = join(root, ".cache", "api")
rmSync(stubs, { recursive: true, force: true })
mkdirSync(stubs, { recursive: true })
/** @type {Record<string, string>} */
const subpaths = JSON.parse(readFileSync(join(root, "deno.json"), "utf8")).exports
const modules = Object.entries(subpaths).filter(([subpath]) => subpath !== "./cli").map(([subpath, file]) => {
  const stub = join(
    stubs,
    `${subpath === "." ? "shell" : subpath.slice(2).replaceAll("/", ".")}.ts`,
  )
  const source = readFileSync(join(root, file), "utf8")
  const header = /^\/\*\*[\s\S]*?\*\//.exec(source)?.[0] ?? ""
  writeFileSync(stub, `${header}\nexport * from "../../${file.slice(2)}"\n`)
  return stub
})
const deno = findRuntime("deno", root)
if (deno === undefined) throw new Error("deno is not installed")
run([
  deno,
  "doc",
  "--quiet",
  "--html",
  "--name=@sluice/shell",
  `--output=${join(site, "api")}`,
  ...modules,
], root)

// Sources are named by their place on this machine.
/** @type {string} */
const repository = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).repository.url
const sources = `${repository.replace(/^git\+|\.git$/g, "")}/blob/main/`
const local = pathToFileURL(root).href
for (
  const file of readdirSync(join(site, "api"), {
    recursive: true,
    encoding: "utf8",
  })
) {
  if (!file.endsWith(".html")) continue
  const html = readFileSync(join(site, "api", file), "utf8")
    .replaceAll(local, sources).replaceAll(
      local.replaceAll("/", "&#x2F;"),
      sources,
    )
    // A server decodes `%2F` and then finds no file of that name.
    .replace(/href="[^"]*"/g, (link) => link.replaceAll(/%(?=2F|3A)/g, "_"))
    // deno doc splits the name of this property at its dot.
    .replaceAll("ShellApi._2Fopenapi.html", "ShellApi._2Fopenapi.json.html")
  rmSync(join(site, "api", file))
  writeFileSync(join(site, "api", file.replaceAll("%", "_")), html)
}

const pages = guides.flatMap(({ pages }) => pages)
const text = (/** @type {string} */ file) => readFileSync(join(root, "docs", file), "utf8").trim()
const intro =
  "# Sluice (@sluice/shell)\n\n> Run commands as typed, windowed, journaled streams on Deno, Bun and Node.\n"
writeFileSync(
  join(site, "llms.txt"),
  [
    intro,
    ...guides.map(({ group, pages }) =>
      [
        `## ${group}\n`,
        ...pages.map(({ about, file, title }) => `- [${title}](/${file}): ${about}`),
        "",
      ].join("\n")
    ),
  ].join("\n"),
)
writeFileSync(
  join(site, "llms-full.txt"),
  [intro, ...pages.map(({ file }) => text(file))].join("\n\n"),
)
for (const { file } of pages) {
  cpSync(join(root, "docs", file), join(site, file))
}

const files = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((
  file,
) => file.endsWith(".html"))
/** @type {Array<string>} */
const problems = []
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
