/**
 * Builds `generated/consoleAssets.ts` from the console's page: its scripts in one bundle with the terminal that they
 * use, its style sheets and its HTML, as strings; the scripts are compressed. The folder is not in the repository: `npm install`, `npm test` and
 * `npm pack` build it.
 *
 * `npm run console` builds it anew after a change of `src/console/page` or of what the page imports.
 *
 * @module
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"

const path = (/** @type {string} */ name) => fileURLToPath(new URL(`../${name}`, import.meta.url))

const text = (/** @type {string} */ name) => readFileSync(path(name), "utf8")

const script = async () => {
  const bundle = await rolldown({ input: path("src/console/page/main.ts"), platform: "browser" })
  const { output: [chunk] } = await bundle.generate({ format: "esm", minify: true, comments: { legal: true } })
  await bundle.close()
  return chunk.code
}

const version = JSON.parse(text("node_modules/@xterm/xterm/package.json")).version
const license = text("node_modules/@xterm/xterm/LICENSE").trim()

/** The style sheets of the page, in the order of the cascade. */
const styleNames = [
  "base",
  "controls",
  "layout",
  "runForm",
  "approvals",
  "commandList",
  "commandDetail",
  "log",
  "windowList",
  "timeline",
  "signIn",
  "media",
]

const parts = {
  page: text("src/console/page/page.html"),
  style: [
    "node_modules/@xterm/xterm/css/xterm.css",
    ...styleNames.map((name) => `src/console/page/styles/${name}.css`),
  ].map(text).join("\n"),
  // Compressed it takes a third of the room in the package, and browsers accept it so.
  gzippedScript: gzipSync(`/*! With @xterm/xterm ${version}:\n${license}\n*/\n${await script()}`, { level: 9 })
    .toString("base64"),
}

const about = {
  page: "HTML of the page.",
  style: "Style sheet of the page.",
  gzippedScript: "Script of the page, an ES module, in gzip's format (RFC 1952) as base64.",
}

const made = [
  "// deno-fmt-ignore-file\n// deno-lint-ignore-file",
  "/**\n * HTML, style and script of the console, built from `src/console/page` by `npm run console`.\n *\n * @module\n */",
  ...Object.entries(parts).map(([name, value]) =>
    `/** ${about[/** @type {keyof typeof about} */ (name)]} */\nexport const ${name}: string = ${JSON.stringify(value)}`
  ),
].join("\n\n") + "\n"

const file = path("generated/consoleAssets.ts")
mkdirSync(path("generated"), { recursive: true })
// Unchanged text keeps its time: watchers and incremental compilers do nothing then.
if (!existsSync(file) || readFileSync(file, "utf8") !== made) writeFileSync(file, made)
