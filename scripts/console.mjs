/**
 * Makes `src/console/assets.ts` of the console's page: its scripts in one, with the terminal that they use, its style and
 * its frame, as texts. It is kept in the repository, so that nobody who installs the package has to build anything.
 *
 * `npm run console` writes it; `npm run console -- --check` says whether it is what the page would give now.
 *
 * @module
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
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

const parts = {
  page: text("src/console/page/page.html"),
  style: `${text("node_modules/@xterm/xterm/css/xterm.css")}\n${text("src/console/page/page.css")}`,
  script: `/*! With @xterm/xterm ${version}:\n${license}\n*/\n${await script()}`,
}

const about = {
  page: "The frame of the page.",
  style: "Its style.",
  script: "Its script, an ES module.",
}

const made = [
  "// deno-fmt-ignore-file\n// deno-lint-ignore-file",
  "/**\n * The console's page, made by `npm run console` of what is in `page/`.\n *\n * @module\n */",
  ...Object.entries(parts).map(([name, value]) =>
    `/** ${about[/** @type {keyof typeof about} */ (name)]} */\nexport const ${name}: string = ${JSON.stringify(value)}`
  ),
].join("\n\n") + "\n"

const file = path("src/console/assets.ts")
if (process.argv.includes("--check")) {
  if (text("src/console/assets.ts") !== made) {
    process.stderr.write("src/console/assets.ts is not what src/console/page gives: run `npm run console`\n")
    process.exitCode = 1
  }
} else writeFileSync(file, made)
